//! Hand tracking, GradBench's `ht`.

use adjoint::adjoint;

pub use hand::*;

#[adjoint]
mod hand {
    pub type Matrix = [[f64; 4]; 4];

    /// A hand at rest, of bones and of a skin of vertices.
    pub struct Model {
        /// The bone that each bone hangs from, which stands before it.
        pub parents: Vec<Option<usize>>,
        pub base_relatives: Vec<Matrix>,
        pub inverse_base_absolutes: Vec<Matrix>,
        /// The vertices, in homogeneous coordinates.
        pub base_positions: Vec<[f64; 4]>,
        /// For each vertex the weights of all bones.
        pub weights: Vec<Vec<f64>>,
        pub triangles: Vec<[usize; 3]>,
        pub is_mirrored: bool,
    }

    /// How far all observed points are from where they correspond to: from vertices where `us` is empty, and from points
    /// of triangles otherwise, with two barycentric coordinates of each in `us`.
    #[adjoint(wrt(theta, us))]
    pub fn residuals(
        theta: &[f64],
        us: &[[f64; 2]],
        model: &Model,
        correspondences: &[usize],
        points: &[[f64; 3]],
        errors: &mut [[f64; 3]],
    ) {
        let bones = bones(theta, model);
        let global = rotation(&[theta[0], theta[1], theta[2]]);
        let mut positions = vec![[0.0; 3]; model.base_positions.len()];
        for (v, position) in positions.iter_mut().enumerate() {
            *position = vertex(theta, &bones, &global, model, v);
        }
        for i in 0..points.len() {
            let place = if us.is_empty() {
                positions[correspondences[i]]
            } else {
                let [a, b, c] = model.triangles[correspondences[i]];
                on_triangle(&us[i], &positions[a], &positions[b], &positions[c])
            };
            for j in 0..3 {
                errors[i][j] = points[i][j] - place[j];
            }
        }
    }

    /// How far one point is from a vertex.
    #[adjoint(wrt(theta))]
    pub fn from_vertex(theta: &[f64], model: &Model, v: usize, point: &[f64; 3]) -> [f64; 3] {
        let bones = bones(theta, model);
        let global = rotation(&[theta[0], theta[1], theta[2]]);
        let place = vertex(theta, &bones, &global, model, v);
        [
            point[0] - place[0],
            point[1] - place[1],
            point[2] - place[2],
        ]
    }

    /// How far one point is from its place on a triangle.
    #[adjoint(wrt(theta, u))]
    pub fn from_triangle(
        theta: &[f64],
        u: &[f64; 2],
        model: &Model,
        triangle: usize,
        point: &[f64; 3],
    ) -> [f64; 3] {
        let bones = bones(theta, model);
        let global = rotation(&[theta[0], theta[1], theta[2]]);
        let [a, b, c] = model.triangles[triangle];
        let place = on_triangle(
            u,
            &vertex(theta, &bones, &global, model, a),
            &vertex(theta, &bones, &global, model, b),
            &vertex(theta, &bones, &global, model, c),
        );
        [
            point[0] - place[0],
            point[1] - place[1],
            point[2] - place[2],
        ]
    }

    /// The point of a triangle with the first two barycentric coordinates `u`.
    fn on_triangle(u: &[f64; 2], a: &[f64; 3], b: &[f64; 3], c: &[f64; 3]) -> [f64; 3] {
        let rest = 1.0 - u[0] - u[1];
        [
            u[0] * a[0] + u[1] * b[0] + rest * c[0],
            u[0] * a[1] + u[1] * b[1] + rest * c[1],
            u[0] * a[2] + u[1] * b[2] + rest * c[2],
        ]
    }

    /// Where vertex `v` of the skin is.
    #[adjoint(wrt(theta, bones, global))]
    fn vertex(
        theta: &[f64],
        bones: &[Matrix],
        global: &[[f64; 3]; 3],
        model: &Model,
        v: usize,
    ) -> [f64; 3] {
        let base = &model.base_positions[v];
        let mut skinned = [0.0; 3];
        for (bone, weight) in bones.iter().zip(&model.weights[v]) {
            for i in 0..3 {
                let mut moved = 0.0;
                for j in 0..4 {
                    moved += bone[i][j] * base[j];
                }
                skinned[i] += weight * moved;
            }
        }
        if model.is_mirrored {
            skinned[0] = -skinned[0];
        }
        let mut position = [theta[3], theta[4], theta[5]];
        for i in 0..3 {
            for j in 0..3 {
                position[i] += global[i][j] * skinned[j];
            }
        }
        position
    }

    /// What each bone does to the hand at rest.
    #[adjoint(wrt(theta))]
    fn bones(theta: &[f64], model: &Model) -> Vec<Matrix> {
        let mut absolutes: Vec<Matrix> = Vec::with_capacity(model.parents.len());
        let mut transforms: Vec<Matrix> = Vec::with_capacity(model.parents.len());
        for (bone, parent) in model.parents.iter().enumerate() {
            let relative = multiply(&model.base_relatives[bone], &euler(&angles(theta, bone)));
            let absolute = match *parent {
                Some(parent) => multiply(&absolutes[parent], &relative),
                None => relative,
            };
            transforms.push(multiply(&absolute, &model.inverse_base_absolutes[bone]));
            absolutes.push(absolute);
        }
        transforms
    }

    /// The angles about x, z and y that a bone is bent by. Bone 0 is the wrist, and each finger has four.
    fn angles(theta: &[f64], bone: usize) -> [f64; 3] {
        if bone == 0 {
            return [0.0; 3];
        }
        let finger = 6 + 4 * ((bone - 1) / 4);
        match (bone - 1) % 4 {
            0 => [0.0; 3],
            1 => [theta[finger], theta[finger + 1], 0.0],
            2 => [theta[finger + 2], 0.0, 0.0],
            _ => [theta[finger + 3], 0.0, 0.0],
        }
    }

    /// The rotation about x, then y, then z.
    fn euler(angles: &[f64; 3]) -> Matrix {
        let (sx, cx) = angles[0].sin_cos();
        let (sz, cz) = angles[1].sin_cos();
        let (sy, cy) = angles[2].sin_cos();
        [
            [cz * cy, cz * sy * sx - sz * cx, cz * sy * cx + sz * sx, 0.0],
            [sz * cy, sz * sy * sx + cz * cx, sz * sy * cx - cz * sx, 0.0],
            [-sy, cy * sx, cy * cx, 0.0],
            [0.0, 0.0, 0.0, 1.0],
        ]
    }

    /// The rotation about the axis `a` by the angle `|a|`.
    fn rotation(a: &[f64; 3]) -> [[f64; 3]; 3] {
        let angle = (a[0] * a[0] + a[1] * a[1] + a[2] * a[2]).sqrt();
        if angle < 1e-4 {
            return [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        }
        let [x, y, z] = [a[0] / angle, a[1] / angle, a[2] / angle];
        let (s, c) = angle.sin_cos();
        let t = 1.0 - c;
        [
            [x * x * t + c, x * y * t - z * s, x * z * t + y * s],
            [x * y * t + z * s, y * y * t + c, y * z * t - x * s],
            [x * z * t - y * s, y * z * t + x * s, z * z * t + c],
        ]
    }

    fn multiply(a: &Matrix, b: &Matrix) -> Matrix {
        let mut product = [[0.0; 4]; 4];
        for i in 0..4 {
            for k in 0..4 {
                for j in 0..4 {
                    product[i][j] += a[i][k] * b[k][j];
                }
            }
        }
        product
    }
}
