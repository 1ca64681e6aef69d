//! Native tests.
mod text;
