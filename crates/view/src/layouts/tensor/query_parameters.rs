//! Query parameters of a layout request. Each operation reads the parameters that it supports. A read also registers the parameter with its
//! possible values, so that the page can offer these values.

use crate::expression::tree::read_unsigned;
use crate::layouts::fragment::request::{FragmentRequest, FragmentRequestError};
use crate::layouts::tensor::{LayoutView, refusal};
use serde::{Deserialize, Serialize};
use warpgrid_isa::fragment::Shape;

/// Parameter of a layout request with its value and its possible values, which the page offers to the user.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct LayoutParameter {
    /// Name of the parameter: `shape`, `type`, or a name in `with` such as `swizzle`.
    pub name: String,
    pub value: String,
    /// Possible values of the parameter. The list is empty if the value is a number or a shape.
    pub choices: Vec<String>,
    /// Description of the parameter for the user.
    pub about: String,
}

/// Reader of the parameters of a layout request, which records the parameters that an operation has read.
pub(crate) struct QueryParams<'r> {
    request: &'r FragmentRequest,
    /// Whether the reader replaces an invalid value with a valid value. Otherwise, an invalid value is an error.
    replaces: bool,
    pub(crate) parameters: Vec<LayoutParameter>,
    replaced: Vec<String>,
}

/// Range of the matrix sizes that a shape parameter can specify.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ShapeLimits {
    pub(crate) rows: &'static [u16],
    /// Minimum, maximum and increment of the number of columns.
    pub(crate) columns: (u16, u16, u16),
    pub(crate) usual: (u16, u16),
}

/// Pairs of a former and the present spelling of a parameter value. Old links may contain the former spelling.
const FORMER_VALUES: &[(&str, &str)] = &[
    ("as described", "per descriptor"),
    (
        "what a swizzle counted from the tile finds",
        "elements read with a tile-relative swizzle",
    ),
    ("what is read", "elements read"),
];

/// Checks whether a text is the present spelling or a former spelling of a parameter value.
fn is_spelling(written: &str, choice: &str) -> bool {
    written == choice || FORMER_VALUES.contains(&(written, choice))
}

impl<'r> QueryParams<'r> {
    /// Creates a reader of request parameters that returns an error for an invalid value.
    pub(crate) fn strict(request: &'r FragmentRequest) -> QueryParams<'r> {
        QueryParams {
            request,
            replaces: false,
            parameters: Vec::new(),
            replaced: Vec::new(),
        }
    }

    /// Creates a reader of the parameters of a request that replaces each invalid value by a default value.
    pub(crate) fn lenient(request: &'r FragmentRequest) -> QueryParams<'r> {
        QueryParams {
            replaces: true,
            ..QueryParams::strict(request)
        }
    }

    /// Returns the value that the request specifies for a parameter.
    fn written(&self, name: &str) -> Option<&'r str> {
        let request = self.request;
        let found = match name {
            "shape" => request.shape.as_str(),
            "type" => request.ty.trim_start_matches('.'),
            _ => request.with.get(name)?.as_str(),
        };
        (!found.is_empty()).then_some(found)
    }

    fn consume(&mut self, name: &str, value: String, choices: &[&str], about: &str) {
        self.parameters.push(LayoutParameter {
            name: name.to_owned(),
            value,
            choices: choices.iter().map(|choice| (*choice).to_owned()).collect(),
            about: about.to_owned(),
        });
    }

    /// Handles an invalid value: returns the message as an error, or records the message if the reader replaces invalid values.
    fn substitute(&mut self, message: String) -> Result<(), FragmentRequestError> {
        if !self.replaces {
            return Err(refusal(message));
        }
        self.replaced.push(message);
        Ok(())
    }

    /// Reads a parameter that has a fixed set of values. The default is the first value of the set.
    pub(crate) fn choice(
        &mut self,
        name: &'static str,
        choices: &[&'static str],
        about: &str,
    ) -> Result<&'static str, FragmentRequestError> {
        let first = choices.first().copied().unwrap_or("");
        let chosen = match self.written(name) {
            None => first,
            Some(written) => match choices.iter().find(|choice| is_spelling(written, choice)) {
                Some(choice) => choice,
                None => {
                    let known: Vec<String> =
                        choices.iter().map(|choice| format!("`{choice}`")).collect();
                    let known = known.join(", ");
                    self.substitute(format!("found {name} `{written}`, expected {known}"))?;
                    first
                }
            },
        };
        self.consume(name, chosen.to_owned(), choices, about);
        Ok(chosen)
    }

    /// Reads a parameter whose value is an arbitrary text.
    pub(crate) fn text(&mut self, name: &'static str, usual: &str, about: &str) -> String {
        let text = self.written(name).unwrap_or(usual).to_owned();
        self.consume(name, text.clone(), &[], about);
        text
    }

    /// Reads a parameter that has the values `no` and `yes`.
    pub(crate) fn flag(
        &mut self,
        name: &'static str,
        about: &str,
    ) -> Result<bool, FragmentRequestError> {
        Ok(self.choice(name, &["no", "yes"], about)? == "yes")
    }

    /// Reads a number in decimal notation or in the notation `0x…`.
    pub(crate) fn number(
        &mut self,
        name: &'static str,
        usual: u64,
        most: u64,
        about: &str,
    ) -> Result<u64, FragmentRequestError> {
        let number = match self.written(name) {
            None => usual,
            Some(written) => match read_unsigned(written).filter(|number| *number <= most) {
                Some(number) => number,
                None => {
                    let message =
                        format!("found {name} `{written}`, expected a number of at most {most}");
                    self.substitute(message)?;
                    usual
                }
            },
        };
        self.consume(name, number.to_string(), &[], about);
        Ok(number)
    }

    /// Reads the bits of a descriptor. Returns `None` if the request does not specify the bits.
    pub(crate) fn bits(
        &mut self,
        name: &'static str,
        most: u64,
        about: &str,
    ) -> Result<Option<u64>, FragmentRequestError> {
        let Some(written) = self.written(name) else {
            self.consume(name, String::new(), &[], about);
            return Ok(None);
        };
        let bits = read_unsigned(written).filter(|bits| *bits <= most);
        match bits {
            Some(bits) => self.consume(name, format!("0x{bits:x}"), &[], about),
            None => {
                self.substitute(format!(
                    "found {name} `{written}`, expected bits such as `0x4000004000010040`"
                ))?;
                self.consume(name, String::new(), &[], about);
            }
        }
        Ok(bits)
    }

    /// Reads the number of rows and columns of a shape: `m64n128`, optionally followed by the size along k.
    pub(crate) fn shape(
        &mut self,
        sizes: ShapeLimits,
    ) -> Result<(usize, usize), FragmentRequestError> {
        let ShapeLimits {
            rows,
            columns: (fewest, most, step),
            usual,
        } = sizes;
        let mut size = usual;
        if let Some(written) = self.written("shape") {
            let shape = Shape::from_name(written).filter(|shape| {
                rows.contains(&shape.m)
                    && (fewest..=most).contains(&shape.n)
                    && shape.n.is_multiple_of(step)
            });
            match shape {
                Some(shape) => size = (shape.m, shape.n),
                None => {
                    let m: Vec<String> = rows.iter().map(|m| format!("m{m}")).collect();
                    self.substitute(format!(
                        "found shape `{written}`, expected {} and n{fewest} to n{most} in steps of {step}, such as `m{}n{}`",
                        m.join(", "),
                        usual.0,
                        usual.1
                    ))?;
                }
            }
        }
        let about = "the number of rows of A and the number of columns of B";
        self.consume("shape", format!("m{}n{}", size.0, size.1), &[], about);
        Ok((usize::from(size.0), usize::from(size.1)))
    }

    /// Adds the parameters that have been read to the view. Returns an error if the request contains a parameter that has not been read.
    pub(crate) fn finish(
        &mut self,
        mut view: LayoutView,
    ) -> Result<LayoutView, FragmentRequestError> {
        let known: Vec<String> = self
            .parameters
            .iter()
            .filter(|parameter| !["shape", "type"].contains(&parameter.name.as_str()))
            .map(|parameter| format!("`{}`", parameter.name))
            .collect();
        for name in self.request.with.keys() {
            if self
                .parameters
                .iter()
                .any(|parameter| parameter.name == *name)
            {
                continue;
            }
            let expected = match known.is_empty() {
                true => "expected none".to_owned(),
                false => format!("expected {}", known.join(", ")),
            };
            self.substitute(format!("found parameter `{name}`, {expected}"))?;
        }
        view.parameters.clone_from(&self.parameters);
        Ok(view)
    }

    /// Returns the request with the values of the parameters that have been read, and the messages about replaced values.
    pub(crate) fn nearest(&mut self, request: &FragmentRequest) -> (FragmentRequest, Vec<String>) {
        let mut nearest = FragmentRequest {
            op: request.op.clone(),
            target: request.target.clone(),
            ..FragmentRequest::default()
        };
        for LayoutParameter { name, value, .. } in &self.parameters {
            match name.as_str() {
                "shape" => nearest.shape.clone_from(value),
                "type" => nearest.ty.clone_from(value),
                // Omit a parameter that the user did not specify, because its value follows from the values of the other parameters.
                _ if request.with.get(name).is_some_and(|word| !word.is_empty()) => {
                    nearest.with.insert(name.clone(), value.clone());
                }
                _ => {}
            }
        }
        (nearest, std::mem::take(&mut self.replaced))
    }
}
