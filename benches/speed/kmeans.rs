//! The cost of clusters.

use crate::of_vector::of_vector;
use crate::workload::{Workload, uniform};

#[path = "../../examples/gradbench/kernels/kmeans.rs"]
mod kernel;

use kernel::{cost, cost_adjoint_with};

/// The last points are the centroids.
pub fn workload(clusters: usize, points: usize, d: usize) -> Box<dyn Workload> {
    let points = uniform(points * d, 0.0, 1.0);
    let centroids = points[points.len() - clusters * d..].to_vec();
    let again = points.clone();
    of_vector(
        move |centroids, d| cost(&points, centroids, d),
        move |tape, centroids, adj, d, seed| {
            cost_adjoint_with(tape, &again, centroids, adj, d, seed)
        },
        centroids,
        d,
    )
}
