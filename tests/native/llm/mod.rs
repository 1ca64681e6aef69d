//! The wire to language models: no network, every reply scripted.

pub(crate) mod double;
mod endpoint;
mod kept;
mod openai;
mod servers;
mod spending;
mod sse;
mod thinking;
