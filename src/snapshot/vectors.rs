//! Vectors in the file: base64 of little-endian numbers, one vector after another.

use std::borrow::Cow;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};

use crate::algo::vector::Rows;
use crate::error::{Code, Error, Result};
use crate::llm::vectors::WIDEST;

use super::clipped;

/// `numbers` are signed bytes with a 32-bit scale each vector, or 32-bit floats with `scales` empty.
#[derive(Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Matrix<'a> {
    #[serde(borrow)]
    scales: Cow<'a, str>,
    #[serde(borrow)]
    numbers: Cow<'a, str>,
}

impl Matrix<'_> {
    pub(super) fn of(rows: &Rows) -> Self {
        let floats = |numbers: &[f32]| {
            STANDARD.encode(numbers.iter().flat_map(|n| n.to_le_bytes()).collect::<Vec<u8>>())
        };
        match (rows.as_bytes(), rows.as_exact()) {
            (Some((codes, scales)), _) => {
                let bytes: Vec<u8> = codes.iter().map(|&code| code as u8).collect();
                Self { scales: floats(scales).into(), numbers: STANDARD.encode(bytes).into() }
            }
            (None, exact) => {
                Self { scales: Cow::Borrowed(""), numbers: floats(exact.unwrap_or_default()).into() }
            }
        }
    }
}

/// The rows of a matrix.
///
/// # Errors
/// `vector_invalid` for another encoding, a wrong width, a number that is not finite, or a vector
/// that is neither of unit length nor all zero.
pub(super) fn rows(place: &str, matrix: &Matrix<'_>, encoding: &str, dims: usize) -> Result<Rows> {
    let fault = |what: String| invalid(place, &what);
    if !(1..=WIDEST).contains(&dims) {
        return Err(fault(format!("they are {dims} wide, but may be 1 to {WIDEST}")));
    }
    let bytes = |text: &str| {
        STANDARD.decode(text).map_err(|error| fault(error.to_string().trim_end_matches('.').to_owned()))
    };
    let floats = |text: &str| -> Result<Vec<f32>> {
        let bytes = bytes(text)?;
        if bytes.len() % 4 != 0 {
            return Err(fault(format!("{} bytes are no 32-bit numbers", bytes.len())));
        }
        let numbers: Vec<f32> =
            bytes.chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect();
        match numbers.iter().position(|number| !number.is_finite()) {
            Some(at) => Err(fault(format!("number {at} is not finite"))),
            None => Ok(numbers),
        }
    };
    let (rows, numbers) = match encoding {
        "int8" => {
            let scales = floats(&matrix.scales)?;
            let codes: Vec<i8> = bytes(&matrix.numbers)?.into_iter().map(|byte| byte as i8).collect();
            let numbers = codes.len();
            if numbers != scales.len() * dims {
                return Err(fault(format!(
                    "{} scales and {numbers} numbers do not fit a width of {dims}",
                    scales.len()
                )));
            }
            (Rows::from_bytes(dims, codes, scales), numbers)
        }
        "f32" => {
            let numbers = floats(&matrix.numbers)?;
            let length = numbers.len();
            if !matrix.scales.is_empty() {
                return Err(fault("32-bit floats have no scales".to_owned()));
            }
            (Rows::exact(dims, numbers), length)
        }
        other => return Err(fault(format!("{:?} is no encoding", clipped(other)))),
    };
    if numbers % dims != 0 {
        return Err(fault(format!("{numbers} numbers do not make vectors of {dims}")));
    }
    match (0..rows.len()).find(|&at| !unit_or_zero(&rows.row(at))) {
        Some(at) => Err(fault(format!("vector {at} has not the length 1"))),
        None => Ok(rows),
    }
}

fn invalid(place: &str, what: &str) -> Error {
    Error::new(Code::VectorInvalid, format!("the vectors {} are invalid: {what}", clipped(place)))
}

/// Fails unless there are as many vectors as things.
pub(super) fn counted(space: &str, name: &str, rows: &Rows, needed: usize) -> Result<()> {
    if rows.len() == needed {
        return Ok(());
    }
    let what = format!("there are {}, but {needed} are needed", rows.len());
    Err(invalid(&format!("{space}.{name}"), &what))
}

/// Whether a vector has unit length as far as its encoding keeps it: a byte's rounding moves each number
/// by at most a 254th of the largest, so at 8192 numbers the length stays within a third. All zero is the
/// vector of a text without words.
fn unit_or_zero(row: &[f32]) -> bool {
    let square: f64 = row.iter().map(|&number| f64::from(number) * f64::from(number)).sum();
    square == 0.0 || (0.4..=1.8).contains(&square)
}
