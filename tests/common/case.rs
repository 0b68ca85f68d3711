//! One kernel at one point, and the properties that its adjoint must have there.

use super::compare::{close, same_bits};
use super::differences::{Estimate, derivatives};
use super::slot::before;
use super::{Flat, Random, Role};

/// One row per output scalar, one column per input scalar.
pub type Jacobian = Vec<Vec<f64>>;

/// The kernel over flat vectors.
type Primal<'a> = &'a dyn Fn(&[f64]) -> Vec<f64>;

/// Whether the kernel fails.
type Fails<'a> = &'a dyn Fn(&[f64]) -> bool;

/// The adjoint over flat vectors: on a given tape or a fresh one, of inputs, seed and start values
/// of the adjoints that accumulate, to outputs and adjoints.
type Adjoint<'a> =
    &'a dyn Fn(Option<&mut adjoint::Tape>, &[f64], &[f64], &[f64]) -> (Vec<f64>, Vec<f64>);

/// One kernel at one point.
pub struct Case {
    name: &'static str,
    inputs: Vec<f64>,
    roles: Vec<Role>,
    single: bool,
}

impl Case {
    /// A kernel without inputs yet.
    pub fn new(name: &'static str) -> Self {
        Case {
            name,
            inputs: Vec::new(),
            roles: Vec::new(),
            single: false,
        }
    }

    /// Adds an argument.
    pub fn input<T: Flat>(&mut self, value: &T, role: Role) {
        value.write(&mut self.inputs);
        self.roles.resize(self.inputs.len(), role);
        self.single |= T::SINGLE;
    }

    /// Checks that
    /// - the outputs of the adjoint are the kernel's, bit for bit;
    /// - the same call on a tape that is kept gives the same bits, twice;
    /// - each row of the Jacobian, by a unit seed, agrees with extrapolated central differences;
    /// - the dot-product identity ⟨ȳ, J u⟩ = ⟨Jᵀȳ, u⟩ holds for random ȳ and u;
    /// - adjoints accumulate onto start values, those of in-out arguments are replaced;
    /// - a zero seed changes nothing.
    ///
    /// Gives the Jacobian.
    #[track_caller]
    pub fn check(&self, primal: Primal<'_>, fails: Fails<'_>, adjoint: Adjoint<'_>) -> Jacobian {
        if fails(&self.inputs) {
            return self.check_failure(primal, adjoint);
        }
        let outputs = primal(&self.inputs);
        let mut random = Random::named(self.name);
        let jacobian = self.rows(outputs.len(), adjoint);
        let seed = self.random_vector(&mut random, outputs.len());
        let start = self.random_vector(&mut random, self.inputs.len());
        self.check_bits(&outputs, adjoint, &seed, &start);
        self.check_zero_seed(outputs.len(), adjoint, &start);
        self.check_differences(&outputs, primal, &jacobian);
        let gradient = adjoint(None, &self.inputs, &seed, &vec![0.0; start.len()]).1;
        self.check_dot_product(&outputs, primal, &seed, &gradient, &mut random);
        self.check_accumulation(adjoint, &seed, &start, &gradient);
        jacobian
    }

    /// Checks a function that fails: its outputs are those of the kernel, and the adjoints stay as they are. There is no
    /// Jacobian.
    #[track_caller]
    fn check_failure(&self, primal: Primal<'_>, adjoint: Adjoint<'_>) -> Jacobian {
        let outputs = primal(&self.inputs);
        let mut random = Random::named(self.name);
        let seed = self.random_vector(&mut random, outputs.len());
        let start = self.random_vector(&mut random, self.inputs.len());
        self.check_bits(&outputs, adjoint, &seed, &start);
        let mut seeds = seed.iter();
        let before = self
            .roles
            .iter()
            .zip(&start)
            .map(|(role, start)| match role {
                Role::Read => start,
                Role::InOut => seeds.next().expect("an adjoint for each in-out value"),
            });
        let before: Vec<f64> = before.copied().collect();
        let after = adjoint(None, &self.inputs, &seed, &start).1;
        assert!(
            same_bits(&after, &before),
            "{}: the adjoints of a failure are {after:?}, not {before:?}",
            self.name
        );
        Jacobian::new()
    }

    fn tolerance(&self) -> f64 {
        if self.single { 2e-3 } else { 1e-8 }
    }

    /// Numbers that every float type of the case represents.
    fn random_vector(&self, random: &mut Random, n: usize) -> Vec<f64> {
        let all = random.vector(n, -1.0, 1.0);
        if self.single {
            all.iter().map(|&x| f64::from(x as f32)).collect()
        } else {
            all
        }
    }

    fn rows(&self, outputs: usize, adjoint: Adjoint<'_>) -> Jacobian {
        let start = vec![0.0; self.inputs.len()];
        let row = |i| {
            let mut seed = vec![0.0; outputs];
            seed[i] = 1.0;
            adjoint(None, &self.inputs, &seed, &start).1
        };
        (0..outputs).map(row).collect()
    }

    #[track_caller]
    fn check_bits(&self, outputs: &[f64], adjoint: Adjoint<'_>, seed: &[f64], start: &[f64]) {
        let name = self.name;
        let (values, adjoints) = adjoint(None, &self.inputs, seed, start);
        assert!(
            same_bits(&values, outputs),
            "{name}: outputs {values:?} of the adjoint, {outputs:?} of the kernel"
        );
        let mut tape = adjoint::Tape::new();
        for call in ["first", "second"] {
            let (values, again) = adjoint(Some(&mut tape), &self.inputs, seed, start);
            assert!(
                same_bits(&values, outputs),
                "{name}: outputs of the {call} call on a tape"
            );
            assert!(
                same_bits(&again, &adjoints),
                "{name}: adjoints of the {call} call on a tape"
            );
        }
    }

    #[track_caller]
    fn check_zero_seed(&self, outputs: usize, adjoint: Adjoint<'_>, start: &[f64]) {
        let adjoints = adjoint(None, &self.inputs, &vec![0.0; outputs], start).1;
        for (j, &a) in adjoints.iter().enumerate() {
            let expected = if self.roles[j] == Role::Read {
                start[j]
            } else {
                0.0
            };
            assert!(
                a == expected,
                "{}: input {j} has {a:e} from a zero seed",
                self.name
            );
        }
    }

    #[track_caller]
    fn check_differences(&self, outputs: &[f64], primal: Primal<'_>, jacobian: &Jacobian) {
        for (j, &x) in self.inputs.iter().enumerate() {
            let mut direction = vec![0.0; self.inputs.len()];
            direction[j] = 1.0;
            let column = self.along(primal, &direction, x.abs().max(0.5));
            for (i, &estimate) in column.iter().enumerate() {
                let what = format!("{}: d(output {i})/d(input {j})", self.name);
                let size = outputs[i].abs() / x.abs().max(1.0);
                self.check_estimate(&what, jacobian[i][j], estimate, size);
            }
        }
    }

    /// Derivatives of all outputs along a direction, in steps for inputs of a size.
    fn along(&self, primal: Primal<'_>, direction: &[f64], size: f64) -> Vec<Estimate> {
        let curve = |t: f64| {
            let at = |(x, d): (&f64, &f64)| x + t * d;
            primal(
                &self
                    .inputs
                    .iter()
                    .zip(direction)
                    .map(at)
                    .collect::<Vec<_>>(),
            )
        };
        // Powers of two, so that most steps from a point are exact in `f32` too.
        let steps: &[f64] = if self.single {
            &[0.25, 0.0625]
        } else {
            &[0.125, 1e-2, 1e-3, 1e-4]
        };
        derivatives(&curve, &steps.iter().map(|s| s * size).collect::<Vec<_>>())
    }

    #[track_caller]
    fn check_estimate(&self, what: &str, found: f64, estimate: Estimate, size: f64) {
        let Estimate { value, error } = estimate;
        let scale = value.abs().max(size).max(1e-6);
        assert!(
            error <= self.tolerance() * scale,
            "{what}: the differences don't converge ({value:e} ± {error:e}); the adjoint has {found:e}"
        );
        assert!(
            close(found, value, self.tolerance(), scale),
            "{what}: the adjoint has {found:e}, differences have {value:e} ± {error:e}"
        );
    }

    #[track_caller]
    fn check_dot_product(
        &self,
        outputs: &[f64],
        primal: Primal<'_>,
        seed: &[f64],
        gradient: &[f64],
        random: &mut Random,
    ) {
        for round in 0..3 {
            let scaled = |x: &f64| random.uniform(-1.0, 1.0) * x.abs().max(0.5);
            let direction: Vec<f64> = self.inputs.iter().map(scaled).collect();
            let combined = |inputs: &[f64]| vec![dot(seed, &primal(inputs))];
            let estimate = self.along(&combined, &direction, 0.5)[0];
            let what = format!("{}: dot product {round}", self.name);
            let size = magnitude(seed, outputs).max(magnitude(gradient, &direction));
            self.check_estimate(&what, dot(gradient, &direction), estimate, size);
        }
    }

    #[track_caller]
    fn check_accumulation(
        &self,
        adjoint: Adjoint<'_>,
        seed: &[f64],
        start: &[f64],
        gradient: &[f64],
    ) {
        let adjoints = adjoint(None, &self.inputs, seed, start).1;
        let rounding = if self.single { 1e-5 } else { 1e-12 };
        let scale = gradient.iter().fold(1.0, |m: f64, g| m.max(g.abs()));
        for (j, &a) in adjoints.iter().enumerate() {
            let before = if self.roles[j] == Role::Read {
                start[j]
            } else {
                0.0
            };
            let expected = before + gradient[j];
            assert!(
                close(a, expected, rounding, scale),
                "{}: input {j} has {a:e}, not {before:e} + {:e}",
                self.name,
                gradient[j]
            );
        }
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

fn magnitude(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| (x * y).abs()).sum()
}
