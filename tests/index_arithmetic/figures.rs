//! `[INV]` Figures 8 in 10, 11, 12, 13 and 14(a), with indices from 0.

use adjoint::adjoint;

use crate::common::check;
use crate::{Entries, values};

/// Figure 8 in the loop of Figure 10.
#[adjoint]
fn wrapped_while(a: &mut [f64], p: &[f64], inner: usize, outer: usize) {
    let mut o = 0;
    while o < outer {
        let mut i = o;
        let mut j = o;
        let mut l = 0;
        while l < inner {
            let k = i - j;
            let m = k + 3 + l;
            i = k + 2 * l;
            a[i] = a[j] * p[k] * a[m];
            j = j + m + 4;
            i = i + j + 1;
            a[j] = a[i] * p[k] * a[m];
            l = l + 1;
        }
        o = o + 1;
    }
}

#[adjoint]
fn wrapped_for(a: &mut [f64], p: &[f64], inner: usize, outer: usize) {
    for o in 0..outer {
        let mut i = o;
        let mut j = o;
        for l in 0..inner {
            let k = i - j;
            let m = k + 3 + l;
            i = k + 2 * l;
            a[i] = a[j] * p[k] * a[m];
            j = j + m + 4;
            i = i + j + 1;
            a[j] = a[i] * p[k] * a[m];
        }
    }
}

/// Figure 11: the edges of an irregular mesh by colours, which begin where `icola` says.
#[adjoint]
fn mesh(
    icola: &[usize],
    nubo: &[[usize; 2]],
    coor: &[[f64; 2]],
    f1: &[f64],
    f2: &[f64],
    rh4: &mut [f64],
) {
    for ic in 1..icola.len() {
        let nsg1 = icola[ic - 1];
        let nsg2 = icola[ic];
        for iseg in nsg1..nsg2 {
            let nuor = nubo[iseg][0];
            let nuex = nubo[iseg][1];
            let vx = coor[nuex][0] - coor[nuor][0];
            let vy = coor[nuex][1] - coor[nuor][1];
            let dpex = f1[nuex] * vx + f2[nuex] * vy;
            let dpor = f1[nuor] * vx + f2[nuor] * vy;
            let dpl = 0.5 * (dpex + dpor) * dpex;
            rh4[nuor] = rh4[nuor] + dpl;
            rh4[nuex] = rh4[nuex] - dpl;
        }
    }
}

/// Figure 12(a): fluxes through the lower and the upper face of a layer change places.
#[adjoint]
fn layers(flux: &mut [f64], t: &[f64], tendency: &mut [f64], nr: usize, n: usize) {
    for k in (0..nr).rev() {
        let k_up = (k + 1) % 2;
        let k_down = k % 2;
        for i in 0..n {
            flux[k_up * n + i] = t[k * n + i] * (t[k * n + i] + 0.1 * flux[k_down * n + i]);
            tendency[k * n + i] += (flux[k_down * n + i] - flux[k_up * n + i]) * t[k * n + i];
        }
    }
}

#[adjoint]
fn layers_while(flux: &mut [f64], t: &[f64], tendency: &mut [f64], nr: usize, n: usize) {
    let mut k = nr;
    while k > 0 {
        k -= 1;
        let k_up = (k + 1) % 2;
        let k_down = k % 2;
        for i in 0..n {
            flux[k_up * n + i] = t[k * n + i] * (t[k * n + i] + 0.1 * flux[k_down * n + i]);
            tendency[k * n + i] += (flux[k_down * n + i] - flux[k_up * n + i]) * t[k * n + i];
        }
    }
}

/// Figure 12(b), with `its = 0`, `jts = 0`, `ibs = 0` and `jtf = jbe`. The old value is a factor, so that it counts.
#[adjoint]
fn boundary(field: &mut [f64], [ktf, itf, ibe, jbe]: [usize; 4], spec_zone: usize) {
    for j in jbe - spec_zone + 1..=jbe {
        let b_dist = jbe - j;
        let b_limit = b_dist;
        for k in 0..ktf {
            for i in b_limit..=itf.min(ibe - b_limit) {
                let mut i_inner = i.max(spec_zone);
                i_inner = i_inner.min(ibe - spec_zone);
                let at = (j * ktf + k) * (ibe + 1) + i;
                field[at] = field[at] * field[((jbe - spec_zone) * ktf + k) * (ibe + 1) + i_inner];
            }
        }
    }
}

/// Figure 13, where a search ends above the ground.
#[adjoint]
fn profile(z_base: &[f64], z00: &[f64], u_base: &[f64], u00: &mut [f64], ktf: usize) {
    for k in 0..ktf {
        let mut k2 = ktf - 1;
        while k2 > 0 && z_base[k2] > z00[k] {
            k2 -= 1;
        }
        if k2 + 1 >= ktf {
            u00[k] = u_base[k2]
                + (u_base[k2] - u_base[k2 - 1]) * (z00[k] - z_base[k2])
                    / (z_base[k2] - z_base[k2 - 1]);
        } else {
            u00[k] = u_base[k2]
                + (u_base[k2 + 1] - u_base[k2]) * (z00[k] - z_base[k2])
                    / (z_base[k2 + 1] - z_base[k2]);
        }
    }
}

/// Figure 14(a): incomplete Cholesky conjugate gradients.
#[adjoint]
fn cholesky(x: &mut [f64], v: &[f64], n: usize) {
    let mut ii = n;
    let mut ipntp = 0;
    loop {
        let ipnt = ipntp;
        ipntp += ii;
        ii /= 2;
        let mut i = ipntp - 1;
        let mut k = ipnt + 1;
        while k < ipntp {
            i += 1;
            x[i] = x[k] - v[k] * x[k - 1] - v[k + 1] * x[k + 1];
            k = k + 2;
        }
        if ii == 0 {
            break;
        }
    }
}

/// Two colours of three and two edges.
const ICOLA: [usize; 3] = [0, 3, 5];
const NUBO: [[usize; 2]; 5] = [[0, 1], [2, 3], [4, 5], [1, 2], [5, 0]];

fn coordinates() -> Vec<[f64; 2]> {
    values(12).chunks(2).map(|c| [c[0], c[1]]).collect()
}

/// Heights of the layers, and heights between them.
fn heights() -> [Vec<f64>; 2] {
    [0.0, 1.5].map(|shift| (0..6).map(|k| 2.0 * k as f64 + shift).collect())
}

#[test]
fn derivatives() {
    check!(wrapped_while(&mut values(60), &values(10), const 3, const 4));
    check!(wrapped_for(&mut values(60), &values(10), const 3, const 4));
    check!(mesh(
        const &ICOLA,
        const &NUBO,
        &coordinates(),
        &values(6),
        &values(6),
        &mut values(6)
    ));
    check!(layers(&mut values(4), &values(10), &mut values(10), const 5, const 2));
    check!(layers_while(&mut values(4), &values(10), &mut values(10), const 5, const 2));
    check!(boundary(&mut values(98), const [2, 6, 6, 6], const 2));
    let [z_base, z00] = heights();
    check!(profile(&z_base, &z00, &values(6), &mut values(6), const 6));
    check!(cholesky(&mut values(34), &values(34), const 16));
}

pub fn entries() -> Vec<Entries> {
    use crate::entries;
    let (v, dv) = (values(98), || values(98));
    let (coor, [z, z00]) = (coordinates(), heights());
    vec![
        entries("wrapped_while", |t| {
            wrapped_while_adjoint_with(t, &mut dv(), &mut dv(), &v, &mut dv(), 3, 4);
        }),
        entries("wrapped_for", |t| {
            wrapped_for_adjoint_with(t, &mut dv(), &mut dv(), &v, &mut dv(), 3, 4);
        }),
        entries("mesh", |t| {
            let (f, df) = (values(6), || values(6));
            mesh_adjoint_with(
                t,
                &ICOLA,
                &NUBO,
                &coor,
                &mut coor.clone(),
                &f,
                &mut df(),
                &f,
                &mut df(),
                &mut df(),
                &mut df(),
            );
        }),
        entries("layers", |t| {
            layers_adjoint_with(
                t,
                &mut dv(),
                &mut dv(),
                &v,
                &mut dv(),
                &mut dv(),
                &mut dv(),
                5,
                2,
            );
        }),
        entries("layers_while", |t| {
            layers_while_adjoint_with(
                t,
                &mut dv(),
                &mut dv(),
                &v,
                &mut dv(),
                &mut dv(),
                &mut dv(),
                5,
                2,
            );
        }),
        entries("boundary", |t| {
            boundary_adjoint_with(t, &mut dv(), &mut dv(), [2, 6, 6, 6], 2);
        }),
        entries("profile", |t| {
            let (dz, dz00) = (&mut z.clone(), &mut z00.clone());
            profile_adjoint_with(
                t,
                &z,
                dz,
                &z00,
                dz00,
                &v,
                &mut dv(),
                &mut dv(),
                &mut dv(),
                6,
            );
        }),
        entries("cholesky", |t| {
            cholesky_adjoint_with(t, &mut dv(), &mut dv(), &v, &mut dv(), 16);
        }),
    ]
}
