//! The wire to language models: no network, every reply scripted.

pub(crate) mod double;
mod endpoint;
mod kept;
mod openai;
mod servers;
mod sse;
mod thinking;
