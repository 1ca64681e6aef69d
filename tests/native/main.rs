//! Native tests.
mod offline;
mod text;
