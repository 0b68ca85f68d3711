//! `#[derive(Differentiable)]` on the shapes that types have.

#![deny(warnings, clippy::all)]
#![forbid(unsafe_code)]

use std::fmt::Debug;
use std::marker::PhantomData;

use adjoint::{Carrier, Differentiable, Tape};

#[derive(Differentiable, Clone, PartialEq, Debug)]
struct Layer {
    weights: Vec<f64>,
    grid: [[f64; 2]; 2],
    bias: (f64, u8),
    stride: usize,
    r#type: char,
    frozen: bool,
}

#[derive(Differentiable, Clone, PartialEq, Debug)]
struct Network {
    name: &'static str,
    layers: Vec<Layer>,
    head: Layer,
    rate: f32,
}

#[derive(Differentiable, Clone, PartialEq, Debug)]
struct Point(f64, i32, f64);

#[derive(Differentiable, Clone, PartialEq, Debug)]
struct Unit;

#[derive(Differentiable, Clone, PartialEq, Debug)]
struct Sample<'a, T, U: ?Sized, const N: usize = 2>
where
    T: Clone,
{
    values: [T; N],
    unit: PhantomData<&'a str>,
    kind: PhantomData<U>,
}

#[derive(Differentiable, Clone, PartialEq, Debug)]
enum Material {
    Vacuum,
    Elastic { young: f64, poisson: f64, id: u32 },
    Table(Vec<f64>, usize),
}

#[derive(Differentiable, Clone, PartialEq, Debug)]
enum Value<T> {
    Scalar(T),
    Pair { first: T, second: T },
}

#[derive(Differentiable, Clone, PartialEq, Debug)]
enum Single {
    Only(f64),
}

/// Has no values, but must compile.
#[derive(Differentiable, Clone, PartialEq, Debug)]
enum Never {}

#[derive(Differentiable, Clone, PartialEq, Debug)]
struct Node {
    mass: f64,
    id: u32,
    next: Option<Box<Self>>,
}

#[derive(Differentiable, Clone, PartialEq, Debug)]
enum Tree<T> {
    Leaf(T),
    Fork(Box<Tree<T>>, Box<Tree<T>>),
}

/// Saves a value, spoils it by another, restores it and loads it anew.
#[track_caller]
fn survives<T: Carrier + Clone + PartialEq + Debug>(value: &T, other: &T) {
    let mut tape = Tape::new();
    let mut place = value.clone();
    place.save(&mut tape);
    place.clone_from(other);
    place.restore(&mut tape);
    assert_eq!(&place, value, "restored over {other:?}");
    value.save(&mut tape);
    assert_eq!(&T::load(&mut tape), value);
    tape.end();
}

fn layer(first: f64) -> Layer {
    Layer {
        weights: vec![first, 2.0, 3.0],
        grid: [[1.0, 2.0], [3.0, 4.0]],
        bias: (0.5, 7),
        stride: 4,
        r#type: 'c',
        frozen: true,
    }
}

fn network() -> Network {
    Network {
        name: "net",
        layers: vec![layer(1.0), layer(-1.0)],
        head: layer(9.0),
        rate: 0.25,
    }
}

#[test]
fn adjoint_has_zeros_and_the_discrete_fields() {
    let zero = Layer {
        weights: vec![0.0; 3],
        grid: [[0.0; 2]; 2],
        bias: (0.0, 7),
        ..layer(0.0)
    };
    assert_eq!(layer(1.0).zero_like(), zero);
    let mut set = layer(1.0);
    set.set_zero();
    assert_eq!(set, zero);
    assert_eq!(layer(1.0).flat_len(), 8);
}

#[test]
fn increments_go_to_the_floats() {
    let mut adjoint = layer(1.0);
    adjoint.accumulate(&layer(-3.0));
    let sum = Layer {
        weights: vec![-2.0, 4.0, 6.0],
        grid: [[2.0, 4.0], [6.0, 8.0]],
        bias: (1.0, 7),
        ..layer(0.0)
    };
    assert_eq!(adjoint, sum);
}

#[test]
fn values_are_vectors() {
    let (mut x, direction) = (network(), network());
    x.axpy(-0.5, &direction);
    assert_eq!((x.rate, x.head.weights[2]), (0.125, 1.5));
    assert_eq!(
        (x.layers[1].grid, x.layers[1].bias),
        ([[0.5, 1.0], [1.5, 2.0]], (0.25, 7))
    );
    x.scale(4.0);
    assert_eq!((x.rate, x.head.weights[0], x.head.stride), (0.5, 18.0, 4));
    let squares = |first: f64| first * first + 13.0 + 30.0 + 0.25;
    assert_eq!(layer(3.0).dot(&layer(3.0)), squares(3.0));
    assert_eq!(
        network().dot(&x),
        2.0 * (2.0 * squares(1.0) + squares(9.0)) + 0.125
    );

    let flat = layer(-3.0).to_flat();
    assert_eq!(flat, [-3.0, 2.0, 3.0, 1.0, 2.0, 3.0, 4.0, 0.5]);
    let mut other = layer(0.0);
    other.copy_from_flat(&[7.0, 6.0, 5.0, 4.0, 3.0, 2.0, 1.0, 0.0]);
    let copied = Layer {
        weights: vec![7.0, 6.0, 5.0],
        grid: [[4.0, 3.0], [2.0, 1.0]],
        bias: (0.0, 7),
        ..layer(0.0)
    };
    assert_eq!(other, copied);

    let mut materials = materials();
    materials.copy_from_flat(&[1.0, 0.5, 3.0, 4.0]);
    assert_eq!(materials.to_flat(), [1.0, 0.5, 3.0, 4.0]);
    assert_eq!(materials.dot(&materials), 26.25);
    assert_eq!((Unit.to_flat(), Unit.dot(&Unit)), (vec![], 0.0));
}

#[test]
#[should_panic = "the value has 8 floats, but the slice has length 7"]
fn a_slice_has_a_number_for_each_float() {
    layer(0.0).copy_from_flat(&[0.0; 7]);
}

#[test]
fn nested_structs_go_through_their_own_implementation() {
    let mut adjoint = network().zero_like();
    adjoint.accumulate(&network());
    assert_eq!(adjoint, network());
    assert_eq!(network().flat_len(), 3 * 8 + 1);
    let spoilt = Network {
        name: "other",
        layers: vec![],
        head: Layer {
            weights: vec![],
            stride: 0,
            ..layer(0.0)
        },
        rate: f32::NAN,
    };
    survives(&network(), &spoilt);
}

#[test]
fn tuple_and_unit_structs() {
    let mut adjoint = Point(1.0, 5, 2.0).zero_like();
    assert_eq!(adjoint, Point(0.0, 5, 0.0));
    adjoint.accumulate(&Point(0.5, 5, -0.5));
    assert_eq!(adjoint, Point(0.5, 5, -0.5));
    assert_eq!(adjoint.flat_len(), 2);
    survives(&Point(1.0, 5, 2.0), &Point(0.0, 0, 0.0));
    let mut unit = Unit.zero_like();
    unit.set_zero();
    unit.accumulate(&Unit);
    assert_eq!((unit.flat_len(), unit.check_shape(&Unit)), (0, Ok(())));
    survives(&Unit, &Unit);
}

#[test]
fn type_parameters_are_differentiable_by_bound() {
    let sample = Sample::<Point, f64> {
        values: [Point(1.0, 2, 3.0), Point(4.0, 5, 6.0)],
        unit: PhantomData,
        kind: PhantomData,
    };
    let zero = sample.zero_like();
    assert_eq!(zero.values, [Point(0.0, 2, 0.0), Point(0.0, 5, 0.0)]);
    assert_eq!(sample.flat_len(), 4);
    survives(&sample, &zero);
    survives(&Value::Scalar(1.0f32), &Value::Scalar(2.0));
    survives(
        &Value::Scalar(1.0),
        &Value::Pair {
            first: 2.0,
            second: 3.0,
        },
    );
    survives(
        &Value::Pair {
            first: 2.0,
            second: 3.0,
        },
        &Value::Scalar(1.0),
    );
}

fn materials() -> [Material; 3] {
    let elastic = Material::Elastic {
        young: 210.0,
        poisson: 0.3,
        id: 8,
    };
    [
        Material::Vacuum,
        elastic,
        Material::Table(vec![1.0, 2.0], 1),
    ]
}

#[test]
fn an_adjoint_is_of_the_same_variant() {
    let zeros = materials().zero_like();
    let elastic = Material::Elastic {
        young: 0.0,
        poisson: 0.0,
        id: 8,
    };
    assert_eq!(
        zeros,
        [
            Material::Vacuum,
            elastic,
            Material::Table(vec![0.0, 0.0], 1)
        ]
    );
    let mut adjoint = zeros.clone();
    adjoint.accumulate(&materials());
    assert_eq!(adjoint, materials());
    adjoint.set_zero();
    assert_eq!(adjoint, zeros);
    assert_eq!(materials().map(|m| m.flat_len()), [0, 2, 2]);
    assert_eq!(Single::Only(1.0).zero_like(), Single::Only(0.0));
}

#[test]
fn variants_come_back_over_any_other() {
    for value in &materials() {
        for other in &materials() {
            survives(value, other);
        }
    }
    survives(&Single::Only(1.0), &Single::Only(2.0));
    survives::<Option<Never>>(&None, &None);
}

#[test]
fn restoring_the_same_variant_keeps_its_memory() {
    let mut tape = Tape::new();
    let mut table = Material::Table(vec![1.0, 2.0], 1);
    let address = |table: &Material| match table {
        Material::Table(values, _) => values.as_ptr(),
        _ => unreachable!("a table stays a table"),
    };
    let before = address(&table);
    table.save(&mut tape);
    table.set_zero();
    table.restore(&mut tape);
    assert_eq!(table, Material::Table(vec![1.0, 2.0], 1));
    assert_eq!(address(&table), before);
}

#[test]
fn labels_of_two_variants_are_flags() {
    let mut tape = Tape::new();
    let mut saved = |value: &dyn Fn(&mut Tape)| {
        tape.begin();
        value(&mut tape);
        tape.turn();
        let stats = tape.stats();
        (stats.reals.entries, stats.control.bytes)
    };
    assert_eq!(saved(&|tape| Value::Scalar(1.0).save(tape)), (1, 1));
    assert_eq!(saved(&|tape| Single::Only(1.0).save(tape)), (1, 0));
    assert_eq!(
        saved(&|tape| Material::Vacuum.save(tape)),
        (0, size_of::<usize>())
    );
}

#[test]
fn mismatches_name_the_field() {
    #[track_caller]
    fn message<T: Differentiable>(value: &T, adjoint: &T) -> String {
        value.check_shape(adjoint).unwrap_err().message("p", "q")
    }
    let mut shorter = network();
    shorter.layers[1].weights.pop();
    assert_eq!(
        message(&network(), &shorter),
        "`p.layers[1].weights` has length 3, but `q.layers[1].weights` has length 2"
    );
    assert_eq!(network().check_shape(&network().zero_like()), Ok(()));
    let [vacuum, elastic, table] = materials();
    assert_eq!(
        message(&elastic, &vacuum),
        "`p` is `Elastic`, but `q` is `Vacuum`"
    );
    assert_eq!(
        message(&table, &Material::Table(vec![], 1)),
        "`p.0` has length 2, but `q.0` has length 0"
    );
    assert_eq!(elastic.check_shape(&elastic.zero_like()), Ok(()));
}

#[test]
#[should_panic = "differ in shape"]
fn increments_of_another_variant_are_a_bug() {
    let [mut vacuum, elastic, _] = materials();
    vacuum.accumulate(&elastic);
}

fn list(masses: impl DoubleEndedIterator<Item = f64> + ExactSizeIterator) -> Option<Box<Node>> {
    masses.enumerate().rev().fold(None, |next, (i, mass)| {
        let id = i as u32;
        Some(Box::new(Node { mass, id, next }))
    })
}

#[test]
fn recursive_lists() {
    let masses = |scale: f64| list((0..1000).map(|i| scale * f64::from(i)));
    let value = masses(1.0);
    assert_eq!(value.flat_len(), 1000);
    let mut adjoint = value.zero_like();
    assert_eq!(adjoint, masses(0.0));
    assert_eq!(value.check_shape(&adjoint), Ok(()));
    adjoint.accumulate(&value);
    adjoint.accumulate(&value);
    assert_eq!(adjoint, masses(2.0));
    survives(&value, &adjoint);
    survives(&value, &None);
    survives(&value, &list([7.0; 3].into_iter()));
    survives(&value, &list([7.0; 1500].into_iter()));
    adjoint.set_zero();
    assert_eq!(adjoint, masses(0.0));
    let shorter = list([0.0; 2].into_iter());
    let mismatch = list([0.0; 3].into_iter())
        .check_shape(&shorter)
        .unwrap_err();
    assert_eq!(
        mismatch.message("p", "q"),
        "`p.next.next` is `Some`, but `q.next.next` is `None`"
    );
}

#[test]
fn recursive_generic_trees() {
    let fork = |a, b| Tree::Fork(Box::new(a), Box::new(b));
    let tree = fork(
        Tree::Leaf((1.0, 1u8)),
        fork(Tree::Leaf((2.0, 2)), Tree::Leaf((3.0, 3))),
    );
    let zero = fork(
        Tree::Leaf((0.0, 1u8)),
        fork(Tree::Leaf((0.0, 2)), Tree::Leaf((0.0, 3))),
    );
    assert_eq!(tree.zero_like(), zero);
    assert_eq!(tree.flat_len(), 3);
    survives(&tree, &Tree::Leaf((0.0, 0)));
    survives(&Tree::Leaf((0.0, 0)), &tree);
}

/// Names that the generated code must not depend on, and uses that would be warned about.
mod hostile {
    #![allow(
        non_snake_case,
        dead_code,
        reason = "the names are there to be in the way"
    )]

    type Result = ();
    type Option = ();
    type Vec = ();
    trait Differentiable {
        fn save(&self) {}
        fn restore(&self) {}
    }
    impl<T> Differentiable for T {}

    #[derive(adjoint::Differentiable, PartialEq, Debug)]
    pub struct Fields {
        pub tape: f64,
        pub value: f64,
        pub value_0: f64,
        pub adjoint: f64,
        pub UPPER: f64,
        #[deprecated = "old"]
        pub old: f64,
    }

    #[deprecated = "old"]
    #[derive(adjoint::Differentiable)]
    pub struct Old(f64);

    #[derive(adjoint::Differentiable)]
    pub enum Choice {
        #[deprecated = "old"]
        Old(f64),
        Ok,
        Err,
    }

    macro_rules! declare {
        ($name:ident, $parameter:ident, $field:ident, $ty:ty) => {
            #[derive(adjoint::Differentiable)]
            pub struct $name<$parameter> {
                pub $field: $ty,
                pub own: $parameter,
            }
        };
    }
    declare!(Declared, T, given, std::vec::Vec<T>);
}

#[test]
#[expect(deprecated, reason = "the field is there to be deprecated")]
fn names_do_not_clash() {
    let fields = |x| hostile::Fields {
        tape: x,
        value: x,
        value_0: x,
        adjoint: x,
        UPPER: x,
        old: x,
    };
    let mut adjoint = fields(1.0);
    adjoint.accumulate(&fields(2.0));
    assert_eq!(adjoint, fields(3.0));
    assert_eq!(adjoint.flat_len(), 6);
    let declared = hostile::Declared {
        given: vec![1.0, 2.0],
        own: 3.0,
    };
    assert_eq!(declared.zero_like().given, [0.0, 0.0]);
    assert_eq!(declared.flat_len(), 3);
}
