//! The wire to language models: no network, every reply scripted.

mod thinking;
