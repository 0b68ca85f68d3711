//! The cost of k-means clusters, GradBench's `kmeans`.

use adjoint::adjoint;

use crate::of_vector::of_vector;
use crate::workload::{Workload, uniform};

use clusters::{cost, cost_adjoint_with};

#[adjoint]
mod clusters {
    /// The sum over points, of dimension `d`, of the squared distance to the nearest centroid.
    #[adjoint(wrt(centroids))]
    pub fn cost(points: &[f64], centroids: &[f64], d: usize) -> f64 {
        let mut sum = 0.0;
        for point in points.chunks_exact(d) {
            let mut nearest = f64::INFINITY;
            for centroid in centroids.chunks_exact(d) {
                let distance = squared_distance(point, centroid);
                if distance < nearest {
                    nearest = distance;
                }
            }
            sum += nearest;
        }
        sum
    }

    fn squared_distance(a: &[f64], b: &[f64]) -> f64 {
        let mut sum = 0.0;
        for (a, b) in a.iter().zip(b) {
            let difference = a - b;
            sum += difference * difference;
        }
        sum
    }
}

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
