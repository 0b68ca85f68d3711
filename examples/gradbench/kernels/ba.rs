//! Bundle adjustment, GradBench's `ba`.

use adjoint::adjoint;

pub use bundle::*;

#[adjoint]
mod bundle {
    /// What each observation, a camera and a point, leaves: its reprojection error and the error of its weight.
    #[adjoint(wrt(cameras, points, weights))]
    pub fn residuals(
        cameras: &[[f64; 11]],
        points: &[[f64; 3]],
        weights: &[f64],
        features: &[[f64; 2]],
        observations: &[[usize; 2]],
        reprojection_errors: &mut [[f64; 2]],
        weight_errors: &mut [f64],
    ) {
        for (i, &[camera, point]) in observations.iter().enumerate() {
            reprojection_errors[i] =
                reproject(&cameras[camera], &points[point], weights[i], &features[i]);
            weight_errors[i] = weight_error(weights[i]);
        }
    }

    /// How far from the feature the camera sees the point. A camera is a rotation, a centre, a focal length, a principal
    /// point and two coefficients of distortion.
    #[adjoint(jacobian, wrt(camera, point, weight))]
    pub fn reproject(
        camera: &[f64; 11],
        point: &[f64; 3],
        weight: f64,
        feature: &[f64; 2],
    ) -> [f64; 2] {
        let &[r0, r1, r2, c0, c1, c2, focal, u, v, k1, k2] = camera;
        let [x, y, z] = rotate(
            &[r0, r1, r2],
            &[point[0] - c0, point[1] - c1, point[2] - c2],
        );
        let [x, y] = [x / z, y / z];
        let square = x * x + y * y;
        let scale = focal * (1.0 + k1 * square + k2 * square * square);
        [
            weight * (x * scale + u - feature[0]),
            weight * (y * scale + v - feature[1]),
        ]
    }

    pub fn weight_error(weight: f64) -> f64 {
        1.0 - weight * weight
    }

    /// Turns `v` about the axis `r` by the angle `|r|`.
    fn rotate(r: &[f64; 3], v: &[f64; 3]) -> [f64; 3] {
        let square = dot(r, r);
        if square == 0.0 {
            let [x, y, z] = cross(r, v);
            return [v[0] + x, v[1] + y, v[2] + z];
        }
        let angle = square.sqrt();
        let (sin, cos) = angle.sin_cos();
        let axis = [r[0] / angle, r[1] / angle, r[2] / angle];
        let across = cross(&axis, v);
        let along = dot(&axis, v) * (1.0 - cos);
        [
            v[0] * cos + across[0] * sin + axis[0] * along,
            v[1] * cos + across[1] * sin + axis[1] * along,
            v[2] * cos + across[2] * sin + axis[2] * along,
        ]
    }

    fn dot(a: &[f64; 3], b: &[f64; 3]) -> f64 {
        a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
    }

    fn cross(a: &[f64; 3], b: &[f64; 3]) -> [f64; 3] {
        [
            a[1] * b[2] - a[2] * b[1],
            a[2] * b[0] - a[0] * b[2],
            a[0] * b[1] - a[1] * b[0],
        ]
    }
}
