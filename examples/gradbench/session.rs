//! The messages of a session and the responses to them.

use adjoint::Tape;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::evals::eval;

#[derive(Deserialize)]
pub struct Message {
    id: u64,
    #[serde(flatten)]
    kind: Kind,
}

#[derive(Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
enum Kind {
    Start,
    Define {
        module: String,
    },
    Evaluate {
        module: String,
        function: String,
        input: Value,
    },
    /// An analysis of an evaluation, and whatever else there is.
    #[serde(other)]
    Other,
}

/// What lasts from one message to the next: the tape, which keeps its memory.
#[derive(Default)]
pub struct Session {
    tape: Tape,
}

impl Session {
    pub fn respond(&mut self, message: Message) -> Value {
        let id = message.id;
        match message.kind {
            Kind::Start => json!({ "id": id, "tool": "adjoint" }),
            Kind::Define { module } => json!({ "id": id, "success": eval(&module).is_some() }),
            Kind::Evaluate {
                module,
                function,
                input,
            } => match self.evaluate(&module, &function, input) {
                Ok((output, timings)) => {
                    json!({ "id": id, "success": true, "output": output, "timings": timings })
                }
                Err(error) => json!({ "id": id, "success": false, "error": error }),
            },
            Kind::Other => json!({ "id": id }),
        }
    }

    fn evaluate(
        &mut self,
        module: &str,
        function: &str,
        input: Value,
    ) -> Result<(Value, Value), String> {
        let evaluate = eval(module).ok_or_else(|| format!("`{module}` is not defined"))?;
        let answer = evaluate(&mut self.tape, function, input)?;
        let timing =
            |&(name, nanoseconds)| json!({ "name": name, "nanoseconds": nanoseconds as u64 });
        Ok((answer.output, answer.timings.iter().map(timing).collect()))
    }
}
