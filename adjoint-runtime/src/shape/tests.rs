use super::{Carried, Diff, Leaf, Plain, Seq, Shape, check_length};
use crate::{Real, Tape};

/// As generated code for `T: Float` does it.
fn rows<T: Real>(x: &[T]) -> (Vec<T>, [T; 2], usize) {
    let rows = vec![x.to_vec(), x.to_vec()];
    let mut adjoint = Shape::<Seq<Seq<Leaf>>>::zero_like(&rows);
    Shape::<Seq<Seq<Leaf>>>::accumulate(&mut adjoint, &rows);
    let mut pair = [x[0], x[1]];
    Shape::<Seq<Leaf>>::set_zero(&mut pair);
    let floats = Shape::<Seq<Seq<Leaf>>>::flat_len(&rows[..]);
    (adjoint.swap_remove(1), pair, floats)
}

#[test]
fn generic_floats_go_by_markers() {
    assert_eq!(rows(&[1.0f32, 2.0]), (vec![1.0, 2.0], [0.0; 2], 4));
    assert_eq!(rows(&[1.0f64, 2.0]), (vec![1.0, 2.0], [0.0; 2], 4));
}

fn through_the_tape<T: Real>(x: T) -> [(Vec<T>, Option<usize>); 2] {
    type Mark = (Seq<Leaf>, Seq<Plain>);
    let mut tape = Tape::new();
    let mut value = (vec![x, x], Some(3));
    Shape::<Mark>::save(&value, &mut tape);
    Shape::<Mark>::save(&value, &mut tape);
    value = (vec![], None);
    Shape::<Mark>::restore(&mut value, &mut tape);
    let loaded = Shape::<Mark>::load(&mut tape);
    tape.end();
    [value, loaded]
}

#[test]
fn generic_values_survive_the_tape() {
    let expected = (vec![1.5, 1.5], Some(3));
    assert_eq!(through_the_tape(1.5), [expected.clone(), expected]);
}

/// A list that was shorter, longer, or as long when it was saved; of numbers, of arrays, and of lists.
#[test]
fn lists_come_back_with_their_lengths() {
    fn comes_back<M, T: Shape<Seq<M>> + Clone + PartialEq + std::fmt::Debug>(lists: [T; 3]) {
        let mut tape = Tape::new();
        for now in &lists {
            for before in &lists {
                Shape::<Seq<M>>::save(before, &mut tape);
                let mut list = now.clone();
                Shape::<Seq<M>>::restore(&mut list, &mut tape);
                assert_eq!(list, *before);
                Shape::<Seq<M>>::save(before, &mut tape);
                assert_eq!(<T as Shape<Seq<M>>>::load(&mut tape), *before);
            }
        }
        tape.end();
    }
    let numbers = |n: usize| (0..n).map(|k| k as f64 + 0.5).collect::<Vec<f64>>();
    let lengths = [0, 2, 5];
    comes_back::<Leaf, _>(lengths.map(numbers));
    comes_back::<Leaf, _>(lengths.map(|n| numbers(n).into_boxed_slice()));
    comes_back::<Seq<Leaf>, _>(lengths.map(|n| vec![[n as f64, 1.0, 2.0]; n]));
    comes_back::<Seq<Leaf>, _>(lengths.map(|n| vec![[0.0; 0]; n]));
    comes_back::<Seq<Leaf>, _>(lengths.map(|n| vec![numbers(n); 3 - n / 2]));
}

#[test]
fn markers_and_the_trait_agree() {
    let x = vec![(1.0, 2usize), (3.0, 4)];
    let by_marker = Shape::<Seq<(Leaf, Plain)>>::zero_like(&x);
    assert_eq!(by_marker, Shape::<Diff>::zero_like(&x));
    assert_eq!(by_marker, [(0.0, 2), (0.0, 4)]);
}

#[test]
#[should_panic = "`x[0]` has length 1, but `x_adj[0]` has length 2"]
fn adjoints_of_another_shape_are_refused() {
    let (x, x_adj) = ([vec![1.0]], [vec![1.0, 2.0]]);
    <() as Carried<Seq<Diff>, [Vec<f64>]>>::check("f::x", &x, &x_adj);
}

#[test]
#[should_panic = "`x` has length 3, but `x_adj` has length 2"]
fn adjoints_of_another_length_are_refused() {
    check_length("x", &[1.0; 3], &[0.0; 2]);
}
