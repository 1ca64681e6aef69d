//! Whether and when a request is sent again: a pure rule.
//!
//! Two more attempts, after half a second and two seconds, or as long as the server asks, up to half a
//! minute. Only what may pass by itself is tried again; a refusal is not.

use super::openai::fault::Kind;

/// The wait before each further attempt, in milliseconds.
const WAITS_MS: [f64; 2] = [500.0, 2_000.0];

/// The longest wait that a server is granted, in milliseconds.
const LONGEST_MS: f64 = 30_000.0;

/// The wait in milliseconds before the next attempt, `None` if there is none. `failed` attempts failed so
/// far, the last by a fault of this kind, or on the way (`None`).
pub fn wait_ms(failed: usize, kind: Option<Kind>, asked_ms: Option<f64>) -> Option<f64> {
    let passing = match kind {
        None | Some(Kind::Busy | Kind::Failed | Kind::Late | Kind::Broken) => true,
        Some(_) => false,
    };
    if !passing || asked_ms.is_some_and(|ms| ms > LONGEST_MS) {
        return None;
    }
    let own = WAITS_MS.get(failed.checked_sub(1)?)?;
    Some(own.max(asked_ms.unwrap_or(0.0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_pass_is_tried_again_and_waits_grow() {
        assert_eq!(wait_ms(1, Some(Kind::Failed), None), Some(500.0));
        assert_eq!(wait_ms(2, None, None), Some(2000.0));
        assert_eq!(wait_ms(3, Some(Kind::Failed), None), None);
        assert_eq!(wait_ms(1, Some(Kind::Busy), Some(7000.0)), Some(7000.0));
        assert_eq!(wait_ms(1, Some(Kind::Busy), Some(10.0)), Some(500.0));
        assert_eq!(wait_ms(1, Some(Kind::Busy), Some(3_600_000.0)), None);
        for kind in [Kind::Auth, Kind::Refused, Kind::Model, Kind::TooLong, Kind::Unusable, Kind::Vectors] {
            assert_eq!(wait_ms(1, Some(kind), None), None, "{kind:?}");
        }
    }
}
