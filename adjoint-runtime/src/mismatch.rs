//! A value and its adjoint that differ in shape.

use std::fmt;

/// Where and how a value and its adjoint differ in shape.
///
/// ```
/// use adjoint_runtime::Carrier;
/// let (x, x_adj) = (vec![vec![1.0; 3]; 2], vec![vec![0.0; 3], vec![0.0; 4]]);
/// let mismatch = x.check_shape(&x_adj).unwrap_err();
/// assert_eq!(
///     mismatch.message("x", "x_adj"),
///     "`x[1]` has length 3, but `x_adj[1]` has length 4"
/// );
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mismatch {
    /// From the whole value to the part, as in `[3].w`; empty for the value itself.
    pub path: String,
    /// How the parts differ.
    pub difference: Difference,
}

/// How a value and its adjoint differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Difference {
    /// In length.
    Length {
        /// That of the value.
        primal: usize,
        /// That of its adjoint.
        adjoint: usize,
    },
    /// In the variant of an enum.
    Variant {
        /// That of the value.
        primal: &'static str,
        /// That of its adjoint.
        adjoint: &'static str,
    },
}

impl Mismatch {
    /// Of two lengths.
    #[cold]
    pub fn length(primal: usize, adjoint: usize) -> Mismatch {
        Mismatch {
            path: String::new(),
            difference: Difference::Length { primal, adjoint },
        }
    }

    /// Of two variants, by name.
    #[cold]
    pub fn variant(primal: &'static str, adjoint: &'static str) -> Mismatch {
        Mismatch {
            path: String::new(),
            difference: Difference::Variant { primal, adjoint },
        }
    }

    /// The same, seen from the sequence whose element `i` it was found in.
    #[cold]
    pub fn in_element(self, i: usize) -> Mismatch {
        let path = format!("[{i}]{}", self.path);
        Mismatch { path, ..self }
    }

    /// The same, seen from the struct or tuple whose field it was found in.
    #[cold]
    pub fn in_field(self, name: &str) -> Mismatch {
        let path = format!(".{name}{}", self.path);
        Mismatch { path, ..self }
    }

    /// A sentence about two variables of these names.
    pub fn message(&self, primal: &str, adjoint: &str) -> String {
        let path = &self.path;
        match self.difference {
            Difference::Length {
                primal: n,
                adjoint: m,
            } => format!("`{primal}{path}` has length {n}, but `{adjoint}{path}` has length {m}"),
            Difference::Variant {
                primal: v,
                adjoint: w,
            } => format!("`{primal}{path}` is `{v}`, but `{adjoint}{path}` is `{w}`"),
        }
    }
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message("value", "adjoint"))
    }
}

impl std::error::Error for Mismatch {}

#[cfg(test)]
mod tests {
    use super::Mismatch;

    #[test]
    fn the_path_leads_to_the_part() {
        let mismatch = Mismatch::length(3, 4).in_field("w").in_element(2);
        assert_eq!(mismatch.path, "[2].w");
        assert_eq!(
            mismatch.message("p", "p_adj"),
            "`p[2].w` has length 3, but `p_adj[2].w` has length 4"
        );
    }

    #[test]
    fn variants_are_named() {
        let mismatch = Mismatch::variant("Some", "None").in_field("next");
        assert_eq!(
            mismatch.to_string(),
            "`value.next` is `Some`, but `adjoint.next` is `None`"
        );
    }
}
