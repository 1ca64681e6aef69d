//! Vectors in the file: base64 of little-endian numbers, one vector after another.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};

use crate::algo::vector::Rows;
use crate::error::{Code, Error, Result};

/// Widest vector read, in numbers; current embedders have up to 4096.
const WIDEST: usize = 8192;

/// `numbers` are signed bytes with a 32-bit scale each vector, or 32-bit floats with `scales` empty.
#[derive(Serialize, Deserialize)]
pub(super) struct Matrix {
    scales: String,
    numbers: String,
}

impl Matrix {
    pub(super) fn of(rows: &Rows) -> Self {
        let floats = |numbers: &[f32]| {
            STANDARD.encode(numbers.iter().flat_map(|n| n.to_le_bytes()).collect::<Vec<u8>>())
        };
        match (rows.as_bytes(), rows.as_exact()) {
            (Some((codes, scales)), _) => {
                let bytes: Vec<u8> = codes.iter().map(|&code| code as u8).collect();
                Self { scales: floats(scales), numbers: STANDARD.encode(bytes) }
            }
            (None, exact) => Self { scales: String::new(), numbers: floats(exact.unwrap_or_default()) },
        }
    }
}

/// The rows of a matrix.
///
/// # Errors
/// `vector_invalid` for another encoding, a wrong width or count, a number that is not finite, or a vector
/// that is neither of unit length nor all zero.
pub(super) fn rows(
    place: &str,
    matrix: Matrix,
    encoding: &str,
    dims: usize,
    count: Option<usize>,
) -> Result<Rows> {
    let fault =
        |what: String| Error::new(Code::VectorInvalid, format!("the vectors {place} are invalid: {what}"));
    if !(1..=WIDEST).contains(&dims) {
        return Err(fault(format!("they are {dims} wide, but may be 1 to {WIDEST}")));
    }
    let bytes = |text: &str| STANDARD.decode(text).map_err(|error| fault(error.to_string()));
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
            (Rows::exact(dims, numbers), length)
        }
        other => return Err(fault(format!("{other:?} is no encoding"))),
    };
    if numbers % dims != 0 || count.is_some_and(|count| count != rows.len()) {
        let wanted = count.map_or(String::new(), |count| format!(", but {count} are needed"));
        return Err(fault(format!("{numbers} numbers make {} vectors of {dims}{wanted}", rows.len())));
    }
    match (0..rows.len()).find(|&at| !unit_or_zero(&rows.row(at))) {
        Some(at) => Err(fault(format!("vector {at} has not the length 1"))),
        None => Ok(rows),
    }
}

/// Whether a vector has unit length as far as its encoding keeps it: a byte's rounding moves each number
/// by at most a 254th of the largest, so at 8192 numbers the length stays within a third. All zero is the
/// vector of a text without words.
fn unit_or_zero(row: &[f32]) -> bool {
    let square: f64 = row.iter().map(|&number| f64::from(number) * f64::from(number)).sum();
    square == 0.0 || (0.4..=1.8).contains(&square)
}
