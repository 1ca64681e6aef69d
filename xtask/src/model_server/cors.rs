//! What lets a page of another origin read the answers, or does not.
//!
//! By default everything is allowed that a browser asks leave for. The server's own controls
//! (`/script`, `/log`) never get these headers: no page may turn them.

use super::answer::Answer;
use super::fault::Kind;
use super::http::Request;
use super::script::Fired;

/// An empty answer; [`allow`] adds what counts.
pub fn preflight() -> Answer {
    Answer { status: 204, headers: Vec::new(), pieces: Vec::new(), streamed: false }
}

/// The same answer with the headers that a page needs.
pub fn allow(answer: Answer, request: &Request, fired: &Fired) -> Answer {
    if fired.has(Kind::NoCors) {
        return answer;
    }
    let mut answer = answer
        .with("Access-Control-Allow-Origin", "*".to_owned())
        .with("Access-Control-Expose-Headers", "Retry-After, Retry-After-Ms".to_owned());
    if request.method != "OPTIONS" {
        return answer;
    }
    // A browser that remembered its leave would not see a fault that takes it.
    answer = answer
        .with("Access-Control-Allow-Methods", "GET, POST".to_owned())
        .with("Access-Control-Max-Age", "0".to_owned());
    if let Some(wished) = request.header("access-control-request-headers") {
        answer = answer.with("Access-Control-Allow-Headers", wished.to_owned());
    }
    let asks = request.header("access-control-request-private-network").is_some();
    if asks && !fired.has(Kind::NoPrivateNetwork) {
        answer = answer.with("Access-Control-Allow-Private-Network", "true".to_owned());
    }
    answer
}
