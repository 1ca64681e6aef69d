//! The server: a listener on this machine's own address, a thread for each connection.
//!
//! The invariant: a request is counted by the script and noted in the log as one step, so that the
//! order of both is the order of arrival; and stopping ends every connection, also a silent one.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufReader, ErrorKind, Result};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

use serde_json::json;

use super::answer::{self, Answer};
use super::asked::Asked;
use super::http::{self, Request};
use super::log::Log;
use super::script::{Fired, Script};
use super::{cors, delivery, refusal};

/// A running server; it stops when this is dropped.
pub struct ModelServer {
    shared: Arc<Shared>,
    listening: Option<JoinHandle<()>>,
}

struct Shared {
    port: u16,
    script: Mutex<Script>,
    log: Log,
    /// The open connections, by number.
    open: Mutex<BTreeMap<usize, TcpStream>>,
    stopping: AtomicBool,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl ModelServer {
    /// Listens on 127.0.0.1; port 0 is any free one.
    pub fn start(port: u16, script: Script, log: Option<File>) -> Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
        let shared = Arc::new(Shared {
            port: listener.local_addr()?.port(),
            script: Mutex::new(script),
            log: Log::to(log),
            open: Mutex::default(),
            stopping: AtomicBool::new(false),
        });
        let own = Arc::clone(&shared);
        let listening = Some(thread::spawn(move || own.listen(&listener)));
        Ok(Self { shared, listening })
    }

    /// The address that a client calls its base.
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}/v1", self.shared.port)
    }

    /// Returns when the server has stopped.
    pub fn wait(mut self) {
        if let Some(listening) = self.listening.take() {
            let _ = listening.join();
        }
    }
}

impl Drop for ModelServer {
    fn drop(&mut self) {
        self.shared.stopping.store(true, Ordering::SeqCst);
        self.shared.log.close();
        // Wakes the listener, which then sees that it is over.
        let _ = TcpStream::connect((Ipv4Addr::LOCALHOST, self.shared.port));
        if let Some(listening) = self.listening.take() {
            let _ = listening.join();
        }
    }
}

impl Shared {
    fn listen(self: &Arc<Self>, listener: &TcpListener) {
        let mut threads: Vec<JoinHandle<()>> = Vec::new();
        for (number, stream) in listener.incoming().enumerate() {
            if self.stopping.load(Ordering::SeqCst) {
                break;
            }
            let Ok(stream) = stream else { continue };
            let Ok(kept) = stream.try_clone() else { continue };
            lock(&self.open).insert(number, kept);
            let own = Arc::clone(self);
            threads.retain(|thread| !thread.is_finished());
            threads.push(thread::spawn(move || {
                // A client that breaks off is its own business.
                let _ = own.serve(&stream);
                let _ = stream.shutdown(Shutdown::Both);
                lock(&own.open).remove(&number);
            }));
        }
        for stream in lock(&self.open).values() {
            let _ = stream.shutdown(Shutdown::Both);
        }
        for thread in threads {
            let _ = thread.join();
        }
    }

    /// Answers the requests of a connection until one of both sides ends it.
    fn serve(&self, stream: &TcpStream) -> Result<()> {
        stream.set_nodelay(true)?;
        let mut input = BufReader::new(stream);
        let mut output = stream;
        loop {
            let request = match http::read(&mut input, &mut output) {
                Ok(Some(request)) => request,
                Ok(None) => return Ok(()),
                Err(error) if error.kind() == ErrorKind::InvalidData => {
                    let answer = refusal::invalid(&error.to_string(), "");
                    delivery::send(stream, &answer, &Fired::default(), None)?;
                    return Ok(());
                }
                Err(error) => return Err(error),
            };
            let goes_on = match self.control(&request) {
                Some(answer) => delivery::send(stream, &answer, &Fired::default(), None)?,
                None => self.reply(stream, &request)?,
            };
            if !goes_on || !request.keeps_open() {
                return Ok(());
            }
        }
    }

    /// The script and the log, which are no part of the API and are not logged.
    fn control(&self, request: &Request) -> Option<Answer> {
        match (request.method.as_str(), request.path.as_str()) {
            ("GET", "/log") => {
                let wished = request.query.strip_prefix("wait=").and_then(|count| count.parse().ok());
                Some(Answer::json(200, &self.log.document(wished.unwrap_or(0))))
            }
            ("DELETE", "/log") => {
                self.log.empty();
                Some(Answer::json(200, &json!({"ok": true})))
            }
            ("POST", "/script") => Some(match Script::parse(&String::from_utf8_lossy(&request.body)) {
                Ok(script) => {
                    *lock(&self.script) = script;
                    Answer::json(200, &json!({"ok": true}))
                }
                Err(reason) => refusal::invalid(&reason, ""),
            }),
            _ => None,
        }
    }

    fn reply(&self, stream: &TcpStream, request: &Request) -> Result<bool> {
        let (answer, fired, flight) = match answer::endpoint(&request.method, &request.path) {
            Err(refused) => {
                let (_, flight) = self.log.note(request, None, &Fired::default());
                (refused, Fired::default(), flight)
            }
            Ok(endpoint) => {
                let asked = Asked::new(request, endpoint);
                let mut script = lock(&self.script);
                let fired = script.fire(&asked);
                let (order, flight) = self.log.note(request, Some(&asked), &fired);
                drop(script);
                (answer::answer(&asked, &fired, order, &request.path, self.port), fired, flight)
            }
        };
        delivery::send(stream, &cors::allow(answer, request, &fired), &fired, Some(flight))
    }
}
