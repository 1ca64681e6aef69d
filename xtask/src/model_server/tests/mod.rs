//! The server over real sockets: what it does unscripted, and every fault once.
//!
//! Nothing sleeps: a test waits for bytes, for the end of a connection, or for the log.

mod bytes;
mod client;
mod plain;
mod refusals;
mod replies;
