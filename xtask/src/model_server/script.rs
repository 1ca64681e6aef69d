//! The script: rules that say which request meets which fault or gets which reply.
//!
//! A rule looks at a request (its endpoint, task, model, text) and counts those it fits; `nth`,
//! `every` and `first` choose among them. All rules that hit a request apply to it together. The
//! invariant: the same requests in the same order meet the same faults.

use serde_json::{Map, Value};

use super::asked::Asked;
use super::fault::{Endpoint, Fault, Kind};

/// All rules, with their counts.
#[derive(Default)]
pub struct Script {
    rules: Vec<Rule>,
}

struct Rule {
    effect: Effect,
    on: Option<Endpoint>,
    task: Option<String>,
    model: Option<String>,
    contains: Option<String>,
    turn: Turn,
    /// The requests that it fitted so far.
    seen: u64,
}

enum Effect {
    Fault(Fault),
    Reply(String),
}

/// Which of the requests that a rule fits it hits.
#[derive(Clone, Copy)]
enum Turn {
    Always,
    Nth(u64),
    Every(u64),
    First(u64),
}

impl Turn {
    fn hits(self, seen: u64) -> bool {
        match self {
            Turn::Always => true,
            Turn::Nth(n) => seen == n,
            Turn::Every(n) => seen.is_multiple_of(n),
            Turn::First(n) => seen <= n,
        }
    }
}

/// What a request meets.
#[derive(Default)]
pub struct Fired {
    faults: Vec<Fault>,
    /// The text to reply, where the script has one.
    pub reply: Option<String>,
}

impl Fired {
    pub fn get(&self, kind: Kind) -> Option<&Fault> {
        self.faults.iter().find(|fault| fault.kind == kind)
    }

    pub fn has(&self, kind: Kind) -> bool {
        self.get(kind).is_some()
    }

    pub fn number(&self, kind: Kind) -> Option<usize> {
        self.get(kind).map(|fault| usize::try_from(fault.number).unwrap_or(usize::MAX))
    }

    pub fn faults(&self) -> &[Fault] {
        &self.faults
    }
}

impl Script {
    /// Reads `{"rules": [...]}`.
    pub fn parse(json: &str) -> Result<Self, String> {
        let json: Value =
            serde_json::from_str(json).map_err(|error| format!("the script is no JSON: {error}"))?;
        let only_rules = |map: &&Map<String, Value>| map.keys().all(|key| key == "rules");
        let rules = json.as_object().filter(only_rules).and_then(|map| map.get("rules")?.as_array());
        let rules = rules.ok_or("the script is not `{\"rules\": [...]}`")?;
        let parsed = rules
            .iter()
            .enumerate()
            .map(|(at, rule)| Rule::of_json(rule).map_err(|reason| format!("rule {}: {reason}", at + 1)));
        Ok(Self { rules: parsed.collect::<Result<_, _>>()? })
    }

    /// Adds a fault as the command line writes it: `NAME[:VALUE][@WHEN]`, WHEN being `3`, `every3` or
    /// `first3`.
    pub fn add(&mut self, text: &str) -> Result<(), String> {
        let (text, turn) = match text.rsplit_once('@') {
            Some((fault, when)) => (fault, Turn::of_text(when)?),
            None => (text, Turn::Always),
        };
        let (name, value) = text.split_once(':').map_or((text, None), |(name, value)| (name, Some(value)));
        self.rules.push(Rule::new(Effect::Fault(Fault::new(name, value)?), turn));
        Ok(())
    }

    /// Counts a request, and says what it meets.
    pub fn fire(&mut self, asked: &Asked) -> Fired {
        let mut fired = Fired::default();
        for rule in &mut self.rules {
            if !rule.fits(asked) {
                continue;
            }
            rule.seen += 1;
            if rule.turn.hits(rule.seen) {
                match &rule.effect {
                    Effect::Fault(fault) => fired.faults.push(fault.clone()),
                    Effect::Reply(text) => fired.reply = fired.reply.or_else(|| Some(text.clone())),
                }
            }
        }
        fired
    }
}

impl Turn {
    fn of_text(text: &str) -> Result<Self, String> {
        let digits = text.trim_start_matches(char::is_alphabetic);
        let number = digits.parse().ok().filter(|&number| number > 0);
        match (&text[..text.len() - digits.len()], number) {
            ("", Some(n)) => Ok(Self::Nth(n)),
            ("every", Some(n)) => Ok(Self::Every(n)),
            ("first", Some(n)) => Ok(Self::First(n)),
            _ => Err(format!("`@{text}` is not `@N`, `@everyN` or `@firstN`")),
        }
    }
}

impl Rule {
    fn new(effect: Effect, turn: Turn) -> Self {
        Self { effect, on: None, task: None, model: None, contains: None, turn, seen: 0 }
    }

    fn of_json(json: &Value) -> Result<Self, String> {
        let json = json.as_object().ok_or("a rule is an object")?;
        let effect = match (json.get("fault"), json.get("reply")) {
            (Some(Value::String(name)), None) => Effect::Fault(Fault::of_json(name, json.get("value"))?),
            (None, Some(Value::String(text))) => Effect::Reply(text.clone()),
            (None, Some(other)) => Effect::Reply(other.to_string()),
            _ => return Err("a rule has either `fault`, a name, or `reply`".to_owned()),
        };
        let mut rule = Self::new(effect, Turn::Always);
        for (key, value) in json {
            let text = || value.as_str().map(str::to_owned).ok_or(format!("`{key}` is no text"));
            let count = || {
                let number = value.as_u64().filter(|&number| number > 0);
                number.ok_or(format!("`{key}` is {value}, but must be a whole number of 1 at least"))
            };
            match key.as_str() {
                "fault" | "reply" | "value" => (),
                "on" => rule.on = Some(Endpoint::named(&text()?)?),
                "task" => rule.task = Some(text()?),
                "model" => rule.model = Some(text()?),
                "contains" => rule.contains = Some(text()?),
                "nth" => rule.turn = Turn::Nth(count()?),
                "every" => rule.turn = Turn::Every(count()?),
                "first" => rule.turn = Turn::First(count()?),
                _ => return Err(format!("a rule has no `{key}`")),
            }
        }
        Ok(rule)
    }

    fn fits(&self, asked: &Asked) -> bool {
        let here = match (&self.effect, self.on) {
            (_, Some(endpoint)) => endpoint == asked.endpoint,
            (Effect::Fault(fault), None) => fault.endpoints().contains(&asked.endpoint),
            (Effect::Reply(_), None) => asked.endpoint == Endpoint::Chat,
        };
        let concerned = match &self.effect {
            Effect::Fault(fault) => asked.concerns(fault),
            Effect::Reply(_) => true,
        };
        here && concerned
            && self.task.as_ref().is_none_or(|task| asked.task() == Some(task))
            && self.model.as_ref().is_none_or(|model| asked.model() == model)
            && self.contains.as_ref().is_none_or(|text| asked.contains(text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_choose_among_the_requests() {
        let hit = |turn: &str| {
            let turn = Turn::of_text(turn).unwrap();
            (1..=6).filter(|&seen| turn.hits(seen)).collect::<Vec<_>>()
        };
        assert_eq!(hit("2"), [2]);
        assert_eq!(hit("every2"), [2, 4, 6]);
        assert_eq!(hit("first2"), [1, 2]);
        for wrong in ["", "0", "every", "every0", "last3", "3x"] {
            assert!(Turn::of_text(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_script_with_a_slip_is_refused_and_says_where() {
        for (script, part) in [
            ("{", "no JSON"),
            ("[]", "not `{"),
            (r#"{"rules": [], "more": 1}"#, "not `{"),
            (r#"{"rules": [{"fault": "gone"}]}"#, "rule 1: there is no fault `gone`"),
            (r#"{"rules": [{"reply": "a"}, {"reply": "a", "nht": 1}]}"#, "rule 2: a rule has no `nht`"),
            (r#"{"rules": [{"fault": "status", "reply": "a"}]}"#, "either"),
            (r#"{"rules": [{"fault": "status", "nth": 0}]}"#, "`nth` is 0"),
            (r#"{"rules": [{"fault": "status", "on": "all"}]}"#, "`on` is `all`"),
        ] {
            let said = Script::parse(script).err().unwrap_or_default();
            assert!(said.contains(part), "{script}: {said}");
        }
    }
}
