//! What to set at which server. The only place where servers have names: a user must find the switch.
//!
//! A server is told by what its list of models says, or by the port that it usually has; where neither
//! says anything the advice is in general words. Nothing but words depends on it.

use super::place::{Near, Place, System, extension};
use crate::llm::openai::models::Listed;

/// Which program a server is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Make {
    /// Ollama.
    Ollama,
    /// LM Studio.
    LmStudio,
    /// llama.cpp's `llama-server`.
    LlamaCpp,
    /// vLLM.
    Vllm,
    /// Unknown.
    Other,
}

/// What to do, and the setting to copy.
pub type Advice = (String, Option<String>);

/// Its owner in a list of models, its usual port, its make.
const MAKES: [(&str, &str, Make); 4] = [
    ("library", ":11434", Make::Ollama),
    ("organization_owner", ":1234", Make::LmStudio),
    ("llamacpp", ":8080", Make::LlamaCpp),
    ("vllm", ":8000", Make::Vllm),
];

impl Make {
    /// The make of the server at an origin with these models.
    pub fn of(origin: &str, models: &[Listed]) -> Self {
        let owner = models.first().map_or("", |model| model.owner.as_str());
        let by_owner = MAKES.iter().find(|(name, _, _)| *name == owner);
        let by_port =
            || MAKES.iter().find(|(_, port, _)| Near::of(origin) != Near::Public && origin.ends_with(port));
        by_owner.or_else(by_port).map_or(Make::Other, |(_, _, make)| *make)
    }

    /// How to start it.
    pub fn start(self) -> Advice {
        let (fix, copy) = match self {
            Make::Ollama => ("Start Ollama.", "ollama serve"),
            Make::LmStudio => {
                ("Start LM Studio's server, on its Developer page or by command.", "lms server start")
            }
            Make::LlamaCpp => ("Start llama.cpp's server.", "llama-server -m MODEL.gguf -c 16384"),
            Make::Vllm => ("Start vLLM.", "vllm serve MODEL"),
            Make::Other => {
                let fix = "Start the server, or correct the host or the port of the address: Ollama's is 11434, \
                           LM Studio's 1234, llama.cpp's 8080.";
                return (fix.to_owned(), None);
            }
        };
        (format!("{fix} If it runs already, it has another host or port."), Some(copy.to_owned()))
    }

    /// How to let a page in.
    pub fn let_in(self, page: &str, place: &Place) -> Advice {
        match self {
            // An extension's name may change with each installation.
            Make::Ollama => match extension(page) {
                Some(scheme) => ollama(place.system, "OLLAMA_ORIGINS", &format!("{scheme}://*")),
                None => ollama(place.system, "OLLAMA_ORIGINS", page),
            },
            Make::LmStudio => (
                "In LM Studio, on the Developer page, turn on \"Enable CORS\" in the server's settings, or start \
                 the server with it."
                    .to_owned(),
                Some("lms server start --cors".to_owned()),
            ),
            Make::LlamaCpp => (
                "llama.cpp's server lets every page in: another program has its port, or a proxy before it drops \
                 the headers. Look whether it is llama.cpp that listens there, and start it anew."
                    .to_owned(),
                Some("llama-server -m MODEL.gguf -c 16384".to_owned()),
            ),
            Make::Vllm => (
                "Start vLLM with this page among those it lets in.".to_owned(),
                Some(format!("vllm serve MODEL --allowed-origins '[\"{page}\"]'")),
            ),
            Make::Other => (
                "Let the server send these headers, also to OPTIONS (its documentation calls it CORS or allowed \
                 origins), or ask it through a proxy of your own that does."
                    .to_owned(),
                Some(format!(
                    "Access-Control-Allow-Origin: {page}\nAccess-Control-Allow-Headers: authorization, content-type"
                )),
            ),
        }
    }

    /// How to give it a context of so many tokens.
    pub fn window(self, tokens: u32, place: &Place) -> Advice {
        match self {
            Make::Ollama => {
                let (fix, copy) = ollama(place.system, "OLLAMA_CONTEXT_LENGTH", &tokens.to_string());
                (format!("{fix} (For one model alone: num_ctx {tokens} in its Modelfile.)"), copy)
            }
            Make::LmStudio => (
                format!("In LM Studio, load the model anew with a context length of {tokens}."),
                Some(format!("lms load MODEL --context-length {tokens}")),
            ),
            Make::LlamaCpp => (
                "Start llama.cpp's server with a longer context; it is shared among its slots (-np)."
                    .to_owned(),
                Some(format!("llama-server -m MODEL.gguf -c {tokens} -np 1")),
            ),
            Make::Vllm => (
                "Start vLLM with a longer context.".to_owned(),
                Some(format!("vllm serve MODEL --max-model-len {tokens}")),
            ),
            Make::Other => (
                format!(
                    "Set the model's context length to {tokens} at the server: OLLAMA_CONTEXT_LENGTH or num_ctx \
                     in Ollama, -c in llama.cpp, \"context length\" in LM Studio. Or let less be sent: a smaller \
                     contextTokens (--context-tokens)."
                ),
                None,
            ),
        }
    }

    /// How to get a model.
    pub fn fetch(self, model: &str) -> Advice {
        // A name goes into a command only where it is one word without signs of a shell.
        let plain = model.chars().all(|c| c.is_ascii_alphanumeric() || "._-:/".contains(c));
        match self {
            Make::Ollama if plain => ("Fetch it once.".to_owned(), Some(format!("ollama pull {model}"))),
            Make::LmStudio => ("Load it in LM Studio, on the Developer page.".to_owned(), None),
            _ => ("Take a name that the server lists.".to_owned(), None),
        }
    }

    /// How to get vectors.
    pub fn embed(self) -> Advice {
        match self {
            Make::Ollama => (
                "Take an embedding model.".to_owned(),
                Some("ollama pull nomic-embed-text".to_owned()),
            ),
            Make::LlamaCpp => (
                "Start a server of llama.cpp for an embedding model; for chat it needs one of its own.".to_owned(),
                Some("llama-server -m EMBEDDING-MODEL.gguf --embeddings".to_owned()),
            ),
            _ => (
                "Take an embedding model, here or at another server; or none: everything works with the built-in \
                 embedder."
                    .to_owned(),
                None,
            ),
        }
    }
}

/// How a variable of Ollama's is set in a system, for good.
fn ollama(system: System, name: &str, value: &str) -> Advice {
    let set = format!("{name}={value}");
    let (fix, copy) = match system {
        System::Mac => (
            "Set this in a terminal, then quit Ollama and open it again.",
            format!("launchctl setenv {name} \"{value}\""),
        ),
        System::Windows => (
            "Set this in a terminal, then quit Ollama by its sign in the task bar and open it again.",
            format!("setx {name} \"{value}\""),
        ),
        System::Linux => (
            "Where Ollama is a service: run sudo systemctl edit ollama, write these two lines, then sudo systemctl \
             restart ollama. Where you start it yourself, set the variable before ollama serve.",
            format!("[Service]\nEnvironment=\"{set}\""),
        ),
        System::Other => ("Set this variable for Ollama and start it again.", format!("{set} ollama serve")),
    };
    (fix.to_owned(), Some(copy))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_make_is_told_by_its_list_then_by_its_port() {
        let listed = |owner: &str| vec![Listed { id: "m".to_owned(), owner: owner.to_owned() }];
        for (origin, owner, make) in [
            ("http://localhost:11434", "", Make::Ollama),
            ("http://localhost:11434", "vllm", Make::Vllm),
            ("http://localhost:9", "library", Make::Ollama),
            ("http://10.0.0.2:1234", "someone", Make::LmStudio),
            ("https://api.example.org:8080", "", Make::Other),
            ("http://localhost:9", "llamacpp", Make::LlamaCpp),
        ] {
            assert_eq!(Make::of(origin, &listed(owner)), make, "{origin} {owner}");
        }
    }

    #[test]
    fn a_setting_is_that_of_the_system() {
        let copied = |system| {
            let place = Place { system, ..Place::default() };
            Make::Ollama.let_in("https://b.org", &place).1.unwrap()
        };
        assert_eq!(copied(System::Mac), "launchctl setenv OLLAMA_ORIGINS \"https://b.org\"");
        assert_eq!(copied(System::Windows), "setx OLLAMA_ORIGINS \"https://b.org\"");
        assert_eq!(copied(System::Linux), "[Service]\nEnvironment=\"OLLAMA_ORIGINS=https://b.org\"");
        assert_eq!(copied(System::Other), "OLLAMA_ORIGINS=https://b.org ollama serve");
        assert_eq!(Make::Ollama.fetch("a; rm b").1, None);
    }

    #[test]
    fn a_page_is_let_in_as_each_server_does_it() {
        let place = Place { system: System::Linux, ..Place::default() };
        let ollama = |origins: &str| format!("[Service]\nEnvironment=\"OLLAMA_ORIGINS={origins}\"");
        for (make, page, words, copy) in [
            (Make::Ollama, "https://b.org", "systemctl", ollama("https://b.org")),
            (Make::Ollama, "chrome-extension://abc", "systemctl", ollama("chrome-extension://*")),
            (Make::Ollama, "moz-extension://0a-1b", "systemctl", ollama("moz-extension://*")),
            (Make::LmStudio, "https://b.org", "Enable CORS", "lms server start --cors".to_owned()),
            (
                Make::LlamaCpp,
                "https://b.org",
                "lets every page in",
                "llama-server -m MODEL.gguf -c 16384".to_owned(),
            ),
            (
                Make::Vllm,
                "https://b.org",
                "Start vLLM",
                "vllm serve MODEL --allowed-origins '[\"https://b.org\"]'".to_owned(),
            ),
        ] {
            let (fix, copied) = make.let_in(page, &place);
            assert!(fix.contains(words), "{make:?}: {fix}");
            assert_eq!(copied, Some(copy), "{make:?}");
        }
    }

    #[test]
    fn starting_lengthening_and_embedding_are_told_for_each_make() {
        let place = Place::default();
        let copied = |(fix, copy): Advice| copy.unwrap_or(fix);
        for (make, start, window, embed) in [
            (
                Make::LmStudio,
                "lms server start",
                "lms load MODEL --context-length 16384",
                "here or at another server",
            ),
            (
                Make::LlamaCpp,
                "llama-server -m MODEL.gguf -c 16384",
                "llama-server -m MODEL.gguf -c 16384 -np 1",
                "llama-server -m EMBEDDING-MODEL.gguf --embeddings",
            ),
            (
                Make::Vllm,
                "vllm serve MODEL",
                "vllm serve MODEL --max-model-len 16384",
                "here or at another server",
            ),
            (Make::Other, "Ollama's is 11434", "context length to 16384", "built-in embedder"),
        ] {
            assert!(copied(make.start()).contains(start), "{make:?}");
            assert!(copied(make.window(16_384, &place)).contains(window), "{make:?}");
            assert!(copied(make.embed()).contains(embed), "{make:?}");
        }
        assert_eq!(Make::Ollama.embed().1.as_deref(), Some("ollama pull nomic-embed-text"));
    }
}
