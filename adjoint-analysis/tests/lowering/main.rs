//! What Rust lowers to: a snippet for each core form, and every annotated function of the project's tests.

mod code;
mod control;
mod corpus;
mod functions;
mod iterator_consumers;
mod iterators;
mod numbers;
mod options;
mod print;
mod references;
mod sequences;
mod types;
