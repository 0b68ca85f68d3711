//! `[INV]` Figure 11: fluxes along the edges of an irregular mesh, by colours of edges that have no node in common.

use std::hint::black_box;

use adjoint::{Tape, TapeStats, adjoint, check};

use crate::{TOLERANCE, ensure, same_bits, timing};

/// The loop, under the attribute given.
macro_rules! figure_11 {
    ($(#[$attribute:meta])* fn $name:ident) => {
        $(#[$attribute])*
        #[allow(clippy::assign_op_pattern, reason = "the statements are spelt as in the paper")]
        fn $name(
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
    };
}

figure_11! {
    #[adjoint]
    fn fluxes
}

figure_11! {
    #[adjoint(without(inversion))]
    fn without_inversion
}

figure_11! {
    #[adjoint(without(recomputation))]
    fn without_recomputation
}

figure_11! {
    #[adjoint(without(inversion, recomputation))]
    fn without_both
}

/// An adjoint of the loop on a tape that is kept: integers, then each array with its adjoint.
type Adjoint = fn(
    &mut Tape,
    &[usize],
    &[[usize; 2]],
    &[[f64; 2]],
    &mut [[f64; 2]],
    &[f64],
    &mut [f64],
    &[f64],
    &mut [f64],
    &mut [f64],
    &mut [f64],
);

const ADJOINTS: [(&str, Adjoint); 4] = [
    ("both", fluxes_adjoint_with),
    ("no inversion", without_inversion_adjoint_with),
    ("no recomputation", without_recomputation_adjoint_with),
    ("neither", without_both_adjoint_with),
];

/// The nodes along a side of the mesh that is timed: about 100 000 edges.
const SIDE: usize = 184;

/// A mesh: where each colour begins, the nodes of each edge, and how many nodes there are.
struct Mesh {
    icola: Vec<usize>,
    nubo: Vec<[usize; 2]>,
    nodes: usize,
}

impl Mesh {
    /// A square of triangles whose nodes are numbered out of order.
    fn new(side: usize) -> Mesh {
        let nodes = side * side;
        // A factor without a divisor in common with the number of nodes.
        let number = |row: usize, column: usize| (row * side + column) * 7919 % nodes;
        let (mut icola, mut nubo) = (vec![0], Vec::new());
        for [down, right] in [[0, 1], [1, 0], [1, 1]] {
            for parity in [0, 1] {
                for row in 0..side - down {
                    for column in 0..side - right {
                        let along = if right == 1 { column } else { row };
                        if along % 2 == parity {
                            let end = number(row + down, column + right);
                            nubo.push([number(row, column), end]);
                        }
                    }
                }
                icola.push(nubo.len());
            }
        }
        Mesh { icola, nubo, nodes }
    }

    /// Coordinates, both fields and sums, one after the other.
    fn inputs(&self) -> Vec<f64> {
        (0..5 * self.nodes)
            .map(|k| 1.0 + 0.3 * (7.0 * k as f64).sin())
            .collect()
    }

    /// The sums.
    fn function(&self, inputs: &[f64]) -> Vec<f64> {
        let [coor, f1, f2, sums] = self.parts(inputs);
        let mut sums = sums.to_vec();
        fluxes(
            &self.icola,
            &self.nubo,
            coor.as_chunks().0,
            f1,
            f2,
            &mut sums,
        );
        sums
    }

    /// A seed of the sums times their Jacobian.
    fn product(&self, adjoint: Adjoint, tape: &mut Tape, inputs: &[f64], seed: &[f64]) -> Vec<f64> {
        let [coor, f1, f2, sums] = self.parts(inputs);
        let [mut coor_adj, mut f1_adj, mut f2_adj] = [2, 1, 1].map(|n| vec![0.0; n * self.nodes]);
        let (mut sums, mut sums_adj) = (sums.to_vec(), seed.to_vec());
        adjoint(
            tape,
            &self.icola,
            &self.nubo,
            coor.as_chunks().0,
            coor_adj.as_chunks_mut().0,
            f1,
            &mut f1_adj,
            f2,
            &mut f2_adj,
            &mut sums,
            &mut sums_adj,
        );
        [coor_adj, f1_adj, f2_adj, sums_adj].concat()
    }

    fn parts<'v>(&self, inputs: &'v [f64]) -> [&'v [f64]; 4] {
        let (coor, rest) = inputs.split_at(2 * self.nodes);
        let (f1, rest) = rest.split_at(self.nodes);
        let (f2, sums) = rest.split_at(self.nodes);
        [coor, f1, f2, sums]
    }
}

/// Checks the gradients, and prints tapes and times with and without inversion and recomputation.
pub fn run() -> Result<(), String> {
    let mesh = Mesh::new(SIDE);
    let (inputs, seed) = (mesh.inputs(), vec![1.0; mesh.nodes]);
    println!(
        "[INV] Figure 11: {} edges in {} colours, {} nodes\n",
        mesh.nubo.len(),
        mesh.icola.len() - 1,
        mesh.nodes
    );
    let mut tapes = ADJOINTS.map(|_| Tape::new());
    check_gradients(&mesh, &inputs, &mut tapes)?;
    let tape_bytes = tapes.each_ref().map(|tape| tape.stats().peak_bytes);
    ensure(
        tape_bytes.iter().all(|&bytes| bytes >= tape_bytes[0]),
        || format!("the tapes hold {tape_bytes:?} bytes"),
    )?;
    let [both, no_inversion, no_recomputation, neither] = &mut tapes;
    let time = |adjoint, tape: &mut Tape| {
        black_box(mesh.product(adjoint, tape, black_box(&inputs), &seed));
    };
    let [function, adjoints @ ..] = timing::interleaved_medians(
        51,
        [
            &mut || {
                black_box(mesh.function(black_box(&inputs)));
            },
            &mut || time(ADJOINTS[0].1, both),
            &mut || time(ADJOINTS[1].1, no_inversion),
            &mut || time(ADJOINTS[2].1, no_recomputation),
            &mut || time(ADJOINTS[3].1, neither),
        ],
    );
    println!(
        "{:<19}{:>9}{:>9}{:>9}{:>11}{:>9}{:>12}",
        "adjoint", "integers", "control", "reals", "bytes", "ms", "/ function"
    );
    for (((name, _), tape), seconds) in ADJOINTS.iter().zip(&tapes).zip(adjoints) {
        let TapeStats {
            integers,
            control,
            reals,
            peak_bytes,
            ..
        } = tape.stats();
        println!(
            "{name:<19}{:>9}{:>9}{:>9}{peak_bytes:>11}{:>9.2}{:>12.2}",
            integers.entries,
            control.entries,
            reals.entries,
            1e3 * seconds,
            seconds / function
        );
    }
    Ok(())
}

/// Compares all adjoints on the large mesh, and one with differences.
fn check_gradients(mesh: &Mesh, inputs: &[f64], tapes: &mut [Tape]) -> Result<(), String> {
    let seed: Vec<f64> = (0..mesh.nodes).map(|k| (3.0 * k as f64).cos()).collect();
    let mut products = ADJOINTS
        .iter()
        .zip(tapes)
        .map(|((_, adjoint), tape)| mesh.product(*adjoint, tape, inputs, &seed));
    let first = products.next().expect("an adjoint");
    ensure(products.all(|product| same_bits(&product, &first)), || {
        "the gradients on the mesh differ".to_string()
    })?;
    let product = |inputs: &[f64], seed: &[f64]| {
        mesh.product(fluxes_adjoint_with, &mut Tape::new(), inputs, seed)
    };
    let function = |inputs: &[f64]| mesh.function(inputs);
    let error = check::dot_product(function, product, inputs).relative_error;
    println!("          gradient check: {error:.1e}\n");
    ensure(error < TOLERANCE, || {
        "the gradient on the mesh is wrong".to_string()
    })
}
