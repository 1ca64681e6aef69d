//! The one place that speaks HTTP.

use gloo_net::http::Request;
use web_sys::AbortSignal;

use crate::error::{Code, Error, Result};

/// The body at an absolute URL. An answer that is not a success, or is a page, is an error that names
/// the URL: static hosts often answer a missing file with one.
pub(super) async fn bytes(url: &str, signal: Option<&AbortSignal>) -> Result<Vec<u8>> {
    let failed = |error: gloo_net::Error| {
        if signal.is_some_and(AbortSignal::aborted) {
            return Error::aborted();
        }
        Error::new(Code::EndpointUnreachable, format!("{url} cannot be fetched: {error}"))
    };
    let response = Request::get(url).abort_signal(signal).send().await.map_err(failed)?;
    if !response.ok() {
        let status = response.status();
        return Err(Error::new(Code::EndpointUnreachable, format!("{url} answered with status {status}")));
    }
    let body = response.binary().await.map_err(failed)?;
    let start = body.iter().find(|byte| !byte.is_ascii_whitespace());
    if start == Some(&b'<') {
        return Err(Error::new(
            Code::IndexDamaged,
            format!("{url} is a page, not an index: is the path right?"),
        ));
    }
    Ok(body)
}
