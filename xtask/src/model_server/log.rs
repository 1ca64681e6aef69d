//! What the server was asked, for tests to assert on.
//!
//! The invariant: requests stand in the order of their arrival, and no key is kept, only the names
//! of headers.

use std::fs::File;
use std::io::Write;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use serde_json::{Value, json};

use super::asked::Asked;
use super::http::Request;
use super::script::Fired;

#[derive(Default)]
pub struct Log {
    state: Mutex<State>,
    arrived: Condvar,
}

#[derive(Default)]
struct State {
    requests: Vec<Value>,
    /// All requests since the start, also those that were emptied.
    count: usize,
    in_flight: usize,
    most_in_flight: usize,
    file: Option<File>,
    closed: bool,
}

/// A request on its way; it has its answer when this is dropped.
pub struct Flight<'a> {
    log: &'a Log,
    /// 1, or 0 for a page's preflight, which asks nothing of a model.
    weight: usize,
}

impl Drop for Flight<'_> {
    fn drop(&mut self) {
        self.log.state().in_flight -= self.weight;
    }
}

impl Log {
    /// A log that also writes each request as a line of a file.
    pub fn to(file: Option<File>) -> Self {
        Self { state: Mutex::new(State { file, ..State::default() }), arrived: Condvar::new() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes a request; gives its number, from 1.
    pub fn note(&self, request: &Request, asked: Option<&Asked>, fired: &Fired) -> (usize, Flight<'_>) {
        let mut state = self.state();
        state.count += 1;
        let weight = usize::from(request.method != "OPTIONS");
        state.in_flight += weight;
        state.most_in_flight = state.most_in_flight.max(state.in_flight);
        let body = match asked.map(|asked| &asked.json) {
            Some(json) if !json.is_null() => json.clone(),
            _ => String::from_utf8_lossy(&request.body).into(),
        };
        let entry = json!({
            "order": state.count,
            "method": request.method,
            "path": request.path,
            "host": request.header("host"),
            "headers": request.headers.iter().map(|(name, _)| name).collect::<Vec<_>>(),
            "task": asked.and_then(Asked::task),
            "faults": fired.faults().iter().map(|fault| fault.name).collect::<Vec<_>>(),
            "body": body,
        });
        if let Some(file) = &mut state.file {
            // A log that cannot be written is no reason to fail a request.
            let _ = writeln!(file, "{entry}");
        }
        state.requests.push(entry);
        self.arrived.notify_all();
        (state.count, Flight { log: self, weight })
    }

    /// The log as a document, once `count` requests have arrived since the start.
    pub fn document(&self, count: usize) -> Value {
        let waits = |state: &mut State| state.count < count && !state.closed;
        let state = self.arrived.wait_while(self.state(), waits).unwrap_or_else(PoisonError::into_inner);
        json!({
            "count": state.count,
            "in_flight": state.in_flight,
            "most_in_flight": state.most_in_flight,
            "requests": state.requests,
        })
    }

    /// Forgets the requests and the maximum, not the count.
    pub fn empty(&self) {
        let mut state = self.state();
        state.requests.clear();
        state.most_in_flight = state.in_flight;
    }

    /// Lets nobody wait any longer.
    pub fn close(&self) {
        self.state().closed = true;
        self.arrived.notify_all();
    }
}
