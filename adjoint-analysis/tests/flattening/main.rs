//! Flattened basic blocks: elimination, by the papers' examples and on random graphs.

mod elimination;
mod forms;
mod jacobians;
mod optimum;
mod random_graphs;
mod splits;

#[path = "../common/proved.rs"]
mod proved;
