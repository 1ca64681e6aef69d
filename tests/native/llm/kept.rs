//! Kept replies: what is asked again and what is not, whatever the store does; pauses; keys that expire.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::future::poll_fn;
use std::rc::Rc;
use std::task::Poll;

use futures_util::future::join;
use plotbridge::llm::caller::{Caller, Unheard};
use plotbridge::llm::endpoint::{Endpoint, Settings};
use plotbridge::llm::http::{Post, Transport};
use plotbridge::llm::{
    ChatModel, ChatReply, ChatRequest, Embedded, Embedder, Finish, Gate, Keys, Later, Models, Schema, Store,
    Tokens, Usage,
};
use plotbridge::pace::Native;
use plotbridge::{Code, Engine, Error, IndexConfig, Result};
use pollster::block_on;

use super::double::{Act, Answering, Leap, Letters, Scripted};
use super::openai::request;

/// How a store fares.
#[derive(Clone, Copy, PartialEq)]
enum Fares {
    Well,
    /// Each answer takes some turns.
    Slowly,
    /// It takes nothing more.
    Full,
    Failing,
    /// It gives something else than it was given.
    Mangling,
}

struct Shelf {
    kept: RefCell<BTreeMap<String, String>>,
    fares: Fares,
}

impl Shelf {
    fn new(fares: Fares) -> Rc<Self> {
        Rc::new(Self { kept: RefCell::default(), fares })
    }

    async fn turns(&self) {
        let mut left = if self.fares == Fares::Slowly { 5 } else { 0 };
        poll_fn(|context| {
            if left == 0 {
                return Poll::Ready(());
            }
            left -= 1;
            context.waker().wake_by_ref();
            Poll::Pending
        })
        .await;
    }

    fn fails(&self, fares: &[Fares]) -> Result<()> {
        if fares.contains(&self.fares) { Err(Error::new(Code::Storage, "the store is gone")) } else { Ok(()) }
    }
}

impl Store for Shelf {
    fn get<'a>(&'a self, key: &'a str) -> Later<'a, Result<Option<String>>> {
        Box::pin(async move {
            self.turns().await;
            self.fails(&[Fares::Failing])?;
            let kept = self.kept.borrow().get(key).cloned();
            let mangled = |value: String| value.replace("width", "wide").replace("text", "test");
            Ok(if self.fares == Fares::Mangling { kept.map(mangled) } else { kept })
        })
    }

    fn put<'a>(&'a self, key: &'a str, value: &'a str) -> Later<'a, Result<()>> {
        Box::pin(async move {
            self.turns().await;
            self.fails(&[Fares::Failing, Fares::Full])?;
            self.kept.borrow_mut().insert(key.to_owned(), value.to_owned());
            Ok(())
        })
    }
}

fn chats(model: &Rc<impl ChatModel + 'static>, store: &Rc<Shelf>) -> Rc<dyn ChatModel> {
    let store: Rc<dyn Store> = store.clone();
    Models { chat: Some(model.clone()), ..Models::default() }.keeping(&store).chat.unwrap()
}

fn embeds(model: &Rc<impl Embedder + 'static>, store: &Rc<Shelf>) -> Rc<dyn Embedder> {
    let store: Rc<dyn Store> = store.clone();
    Models { embed: Some(model.clone()), ..Models::default() }.keeping(&store).embed.unwrap()
}

fn ask(model: &dyn ChatModel, request: &ChatRequest) -> ChatReply {
    block_on(model.chat(request, &Unheard)).unwrap()
}

fn texts(count: usize) -> Vec<String> {
    (0..count).map(|n| format!("the bell rang {n} times")).collect()
}

#[test]
fn what_was_asked_once_is_answered_from_the_store_with_what_it_had_cost() {
    let model = Rc::new(Answering::new(|_| Ok("Ben rang it.".to_owned())));
    let shelf = Shelf::new(Fares::Slowly);
    let first = ask(&*chats(&model, &shelf), &request(false));
    assert_eq!(first.kept, Usage::default());
    let heard = RefCell::new(Vec::new());
    let hear = |piece: &str| heard.borrow_mut().push(piece.to_owned());
    let second = block_on(chats(&model, &shelf).chat(&request(true), &hear)).unwrap();
    assert_eq!(
        (second.text.as_str(), second.finish, second.tokens),
        ("Ben rang it.", Finish::Stop, Tokens::default())
    );
    let mut cost = Usage::default();
    cost.add(first.tokens);
    assert_eq!((second.kept, heard.into_inner()), (cost, vec!["Ben rang it.".to_owned()]));
    assert_eq!(model.asked.borrow().len(), 1);
}

#[test]
fn each_part_of_a_request_makes_it_another_one() {
    let change: [fn(&mut ChatRequest); 6] = [
        |r| r.messages[0].content.push('x'),
        |r| r.messages[1].role = plotbridge::llm::Role::Assistant,
        |r| r.schema = Some(Schema { name: "a", json: "{}" }),
        |r| r.max_tokens += 1,
        |r| r.temperature += 0.5,
        // What stands in two messages is not what stands in one.
        |r| {
            let said = r.messages.remove(1).content;
            r.messages[0].content.push_str(&said);
        },
    ];
    let model = Rc::new(Answering::new(|_| Ok("Ben.".to_owned())));
    let shelf = Shelf::new(Fares::Well);
    let asked = |request: &ChatRequest| {
        let before = model.asked.borrow().len();
        ask(&*chats(&model, &shelf), request);
        model.asked.borrow().len() - before
    };
    assert_eq!(asked(&request(false)), 1);
    for (place, change) in change.iter().enumerate() {
        let mut other = request(false);
        change(&mut other);
        assert_eq!((asked(&other), asked(&other), asked(&request(false))), (1, 0, 0), "change {place}");
    }
}

#[test]
fn a_reply_is_in_the_store_before_it_is_used() {
    let model = Rc::new(Answering::new(|_| Ok("Ben.".to_owned())));
    for fares in [Fares::Well, Fares::Slowly] {
        let shelf = Shelf::new(fares);
        let kept = chats(&model, &shelf);
        let there = block_on(async {
            kept.chat(&request(false), &Unheard).await.unwrap();
            shelf.kept.borrow().len()
        });
        assert_eq!(there, 1);
    }
}

#[test]
fn what_broke_off_was_withheld_or_failed_is_asked_again() {
    struct Ending(Cell<u32>, Option<Finish>);
    impl ChatModel for Ending {
        fn name(&self) -> &str {
            "ending"
        }
        fn chat<'a>(&'a self, _: &'a ChatRequest, _: &'a dyn Caller) -> Later<'a, Result<ChatReply>> {
            self.0.set(self.0.get() + 1);
            let reply = self.1.map(|finish| ChatReply {
                text: "Ben".to_owned(),
                finish,
                tokens: Tokens::default(),
                kept: Usage::default(),
            });
            Box::pin(std::future::ready(
                reply.ok_or_else(|| Error::new(Code::EndpointReply, "the reply is empty")),
            ))
        }
    }
    let rows = [
        (Some(Finish::Cut), 2),
        (Some(Finish::Filter), 2),
        (None, 2),
        (Some(Finish::Length), 1),
        (Some(Finish::Stop), 1),
    ];
    for (finish, times) in rows {
        let model = Rc::new(Ending(Cell::new(0), finish));
        let shelf = Shelf::new(Fares::Well);
        for _ in 0..2 {
            let reply = block_on(chats(&model, &shelf).chat(&request(false), &Unheard));
            assert_eq!(reply.ok().map(|reply| reply.finish), finish);
        }
        assert_eq!(model.0.get(), times, "{finish:?}");
    }
}

#[test]
fn a_store_that_fails_costs_a_repetition_and_no_reply() {
    for fares in [Fares::Full, Fares::Failing, Fares::Mangling] {
        let model = Rc::new(Answering::new(|_| Ok("Ben.".to_owned())));
        let letters = Rc::new(Letters::default());
        let shelf = Shelf::new(fares);
        let alone = block_on(letters.embed(&texts(3), &Unheard)).unwrap();
        for _ in 0..2 {
            assert_eq!(ask(&*chats(&model, &shelf), &request(false)).text, "Ben.");
            assert_eq!(block_on(embeds(&letters, &shelf).embed(&texts(3), &Unheard)).unwrap(), alone);
        }
        assert_eq!((model.asked.borrow().len(), letters.asked.borrow().len()), (2, 3));
    }
}

#[test]
fn vectors_are_kept_a_batch_a_request_and_exact_to_the_bit() {
    struct Odd(Letters);
    impl Embedder for Odd {
        fn name(&self) -> &str {
            "odd"
        }
        fn embed<'a>(&'a self, texts: &'a [String], _: &'a dyn Caller) -> Later<'a, Result<Embedded>> {
            Box::pin(async move {
                let mut embedded = self.0.embed(texts, &Unheard).await?;
                embedded.vectors[0] = [0.1f32, -0.0, 1e-42, f32::MIN_POSITIVE].repeat(7)[..27].to_vec();
                embedded.vectors[0][26] = 0.93f32.sqrt();
                embedded.tokens.prompt = texts.len() as u32;
                Ok(embedded)
            })
        }
    }
    let bits = |embedded: &Embedded| -> Vec<u32> {
        embedded.vectors.iter().flatten().map(|x| x.to_bits()).collect()
    };
    let model = Rc::new(Odd(Letters::default()));
    let shelf = Shelf::new(Fares::Well);
    let first = block_on(embeds(&model, &shelf).embed(&texts(130), &Unheard)).unwrap();
    assert_eq!((first.tokens.prompt, first.kept), (130, Usage::default()));
    let second = block_on(embeds(&model, &shelf).embed(&texts(130), &Unheard)).unwrap();
    assert_eq!(bits(&first), bits(&second));
    assert_eq!((second.tokens.prompt, second.kept), (0, Usage { requests: 3, prompt: 130, completion: 0 }));
    let sizes = || model.0.asked.borrow().iter().map(Vec::len).collect::<Vec<_>>();
    assert_eq!(sizes(), [64, 64, 2]);
    let mut changed = texts(130);
    changed[70].push('x');
    let third = block_on(embeds(&model, &shelf).embed(&changed, &Unheard)).unwrap();
    assert_eq!((sizes(), third.tokens.prompt, third.kept.prompt), (vec![64, 64, 2, 64], 64, 66));
}

/// An embedder whose vectors have so many numbers, and how many texts it was asked for.
struct Wide(Cell<usize>, Cell<usize>);

impl Embedder for Wide {
    fn name(&self) -> &str {
        "wide"
    }
    fn embed<'a>(&'a self, texts: &'a [String], _: &'a dyn Caller) -> Later<'a, Result<Embedded>> {
        self.1.set(self.1.get() + texts.len());
        let mut vector = vec![0.0; self.0.get()];
        vector[1] = 1.0;
        let vectors = vec![vector; texts.len()];
        Box::pin(std::future::ready(Ok(Embedded { vectors, ..Embedded::default() })))
    }
}

#[test]
fn a_width_that_changes_between_kept_and_new_is_an_error() {
    let model = Rc::new(Wide(Cell::new(3), Cell::default()));
    let shelf = Shelf::new(Fares::Well);
    block_on(embeds(&model, &shelf).embed(&texts(64), &Unheard)).unwrap();
    model.0.set(4);
    let error = block_on(embeds(&model, &shelf).embed(&texts(65), &Unheard)).unwrap_err();
    assert_eq!(error.code(), Code::VectorInvalid);
    assert!(error.to_string().contains("forget what is kept"), "{error}");
}

#[test]
fn kept_vectors_that_cannot_be_right_are_asked_for_again() {
    let bytes = |numbers: &[f32]| {
        let bytes: Vec<u8> = numbers.iter().flat_map(|x| x.to_le_bytes()).collect();
        base64::Engine::encode(&base64::prelude::BASE64_STANDARD, bytes)
    };
    let wide = vec![1.0 / f32::from(8_200u16).sqrt(); 8_200];
    for (numbers, width, right) in [
        (&[0.6, 0.8, 0.0][..], 3, true),
        (&[f32::NAN, 0.8, 0.6], 3, false),
        (&[f32::INFINITY, 0.0, 0.0], 3, false),
        (&[0.0, 0.0, 0.0], 3, false),
        (&[6.0, 8.0, 0.0], 3, false),
        (&[0.6, 0.8, 0.0], 2, false),
        (&[], 0, false),
        (&wide, 8_200, false),
    ] {
        let model = Rc::new(Wide(Cell::new(3), Cell::default()));
        let shelf = Shelf::new(Fares::Well);
        block_on(embeds(&model, &shelf).embed(&texts(1), &Unheard)).unwrap();
        let entry = serde_json::json!({"width": width, "numbers": bytes(numbers), "prompt": 1}).to_string();
        shelf.kept.borrow_mut().values_mut().for_each(|kept| *kept = entry.clone());
        let again = block_on(embeds(&model, &shelf).embed(&texts(1), &Unheard)).unwrap();
        assert_eq!((model.1.get() == 1, again.vectors[0][0] == 0.6), (right, right), "{numbers:?} {width}");
    }
    // Of two batches that are kept, the one that has not the width of the first.
    let model = Rc::new(Wide(Cell::new(3), Cell::default()));
    let shelf = Shelf::new(Fares::Well);
    block_on(embeds(&model, &shelf).embed(&texts(65), &Unheard)).unwrap();
    let (last, _) =
        (shelf.kept.borrow().iter().find(|(_, kept)| kept.len() < 100).map(|(k, v)| (k.clone(), v.len())))
            .unwrap();
    let entry = serde_json::json!({"width": 2, "numbers": bytes(&[0.6, 0.8]), "prompt": 1}).to_string();
    shelf.kept.borrow_mut().insert(last, entry);
    let again = block_on(embeds(&model, &shelf).embed(&texts(65), &Unheard)).unwrap();
    assert_eq!((model.1.get(), again.vectors[64].len()), (66, 3));
}

/// A gate that is opened and shut by hand.
#[derive(Default)]
struct Door(Cell<bool>);

impl Gate for Door {
    fn open(&self) -> Later<'_, Result<()>> {
        Box::pin(poll_fn(|context| {
            context.waker().wake_by_ref();
            if self.0.get() { Poll::Ready(Ok(())) } else { Poll::Pending }
        }))
    }
}

#[test]
fn a_pause_begins_no_request_and_what_is_kept_needs_none() {
    let model = Rc::new(Answering::new(|_| Ok("Ben.".to_owned())));
    let letters = Rc::new(Letters::default());
    let door = Rc::new(Door::default());
    let gate: Rc<dyn Gate> = door.clone();
    let models =
        Models { chat: Some(model.clone()), embed: Some(letters.clone()), at_once: 1, ..Models::default() }
            .behind(&gate);
    let store: Rc<dyn Store> = Shelf::new(Fares::Well);
    let models = models.keeping(&store);
    let (chat, embed) = (models.chat.unwrap(), models.embed.unwrap());
    let (request, texts) = (request(false), texts(1));
    let both = join(chat.chat(&request, &Unheard), embed.embed(&texts, &Unheard));
    let asked = || (model.asked.borrow().len(), letters.asked.borrow().len());
    let ((said, embedded), ()) = block_on(join(both, async {
        let mut turns = 20;
        poll_fn(|context| {
            context.waker().wake_by_ref();
            turns -= 1;
            assert_eq!(asked(), (0, 0));
            if turns == 0 { Poll::Ready(()) } else { Poll::Pending }
        })
        .await;
        door.0.set(true);
    }));
    assert!(said.is_ok() && embedded.is_ok());
    assert_eq!(asked(), (1, 1));
    door.0.set(false);
    assert_eq!(ask(&*chat, &request).kept.requests, 1);
}

/// Keys that are given one after another.
struct Fresh(RefCell<Vec<&'static str>>, Cell<u32>);

impl Keys for Fresh {
    fn key(&self) -> Later<'_, Result<Option<String>>> {
        self.1.set(self.1.get() + 1);
        let mut keys = self.0.borrow_mut();
        let key = if keys.len() > 1 { keys.remove(0) } else { keys[0] };
        Box::pin(std::future::ready(Ok(Some(key.to_owned()))))
    }
}

/// An endpoint that asks for its keys, over a server of these acts.
fn renewing(
    keys: &[&'static str],
    acts: impl IntoIterator<Item = Act>,
) -> (Endpoint, Rc<Scripted>, Rc<Fresh>) {
    let server = Scripted::new(acts);
    let transport: Rc<dyn Transport> = server.clone();
    let settings = Settings { url: "http://127.0.0.1:1".into(), model: "m".into(), ..Settings::default() };
    let fresh = Rc::new(Fresh(RefCell::new(keys.to_vec()), Cell::new(0)));
    let endpoint = Endpoint::new(&settings, transport, Rc::new(Leap::default())).unwrap();
    (endpoint.with_keys(fresh.clone()), server, fresh)
}

fn unauthorised() -> Act {
    Act::json(401, r#"{"error":{"message":"Incorrect API key provided: token-one"}}"#)
}

fn sent(server: &Scripted) -> Vec<String> {
    let key = |post: &Post| post.headers.iter().find(|(name, _)| name == "authorization").unwrap().1.clone();
    server.posts.borrow().iter().map(key).collect()
}

#[test]
fn a_key_is_asked_for_once_and_again_where_the_server_refuses_it() {
    let acts = [Act::says("a"), Act::says("b"), unauthorised(), Act::says("c")];
    let (endpoint, server, fresh) = renewing(&["token-one", "token-two"], acts);
    for text in ["a", "b", "c"] {
        assert_eq!(ask(&endpoint, &request(false)).text, text);
    }
    let bearers = ["token-one", "token-one", "token-one", "token-two"].map(|key| format!("Bearer {key}"));
    assert_eq!((sent(&server), fresh.1.get()), (bearers.to_vec(), 2));
}

#[test]
fn a_key_that_is_refused_twice_is_the_error_and_none_is_in_it() {
    let (endpoint, server, fresh) = renewing(&["token-one", "token-two"], [unauthorised(), unauthorised()]);
    let error = block_on(endpoint.chat(&request(false), &Unheard)).unwrap_err();
    assert_eq!((error.code(), sent(&server).len(), fresh.1.get()), (Code::EndpointAuth, 2, 2));
    let (endpoint, server, _) = renewing(&["token\u{2009}one"], []);
    let unsendable = block_on(endpoint.chat(&request(false), &Unheard)).unwrap_err();
    assert_eq!((unsendable.code(), server.posts.borrow().len()), (Code::Usage, 0));
    for said in [format!("{error} {error:?} {endpoint:?}"), format!("{unsendable} {unsendable:?}")] {
        assert!(!said.contains("token"), "{said}");
    }
}

#[test]
fn a_reply_that_repeats_a_key_is_an_error_and_no_reply() {
    let said = r#"{"entities":[{"name":"token-one-of-many","description":"x-header-secret"}]}"#;
    for (headers, is_error) in [
        (vec![], true),
        (vec![("x-key".to_owned(), "x-header-secret".to_owned())], true),
        (vec![("x-title".to_owned(), "the name".to_owned())], false),
    ] {
        let transport: Rc<dyn Transport> = Scripted::new([Act::says(said)]);
        let key = if headers.is_empty() { Some("token-one-of-many".to_owned()) } else { None };
        let settings = Settings { url: "http://127.0.0.1:1".into(), model: "m".into(), key, headers };
        let endpoint = Endpoint::new(&settings, transport, Rc::new(Leap::default())).unwrap();
        let heard = RefCell::new(String::new());
        let reply =
            block_on(endpoint.chat(&request(true), &|piece: &str| heard.borrow_mut().push_str(piece)));
        assert_eq!((reply.is_err(), heard.borrow().contains("secret")), (is_error, !is_error));
        assert!(!format!("{:?}", reply.err()).contains("token-one"));
    }
}

#[test]
fn what_is_printed_of_a_request_or_of_settings_holds_no_secret() {
    let headers =
        vec![("authorization".to_owned(), "Bearer secret".to_owned()), ("x".to_owned(), "secret".to_owned())];
    let post = Post {
        url: "http://127.0.0.1/secret?secret".into(),
        headers: headers.clone(),
        body: "secret".into(),
    };
    let settings =
        Settings { url: "http://secret".into(), model: "m".into(), key: Some("secret".into()), headers };
    let printed = format!("{post:?} {settings:?}");
    assert!(!printed.contains("secret") && printed.contains("authorization"), "{printed}");
}

#[test]
fn nothing_of_a_key_an_address_or_a_prompt_is_kept() {
    let server = Scripted::new([Act::says("Ben.")]);
    let transport: Rc<dyn Transport> = server;
    let headers = vec![("x-secret".to_owned(), "secret-header".to_owned())];
    let settings = Settings {
        url: "http://127.0.0.1:1/secret?key=secret".into(),
        model: "m".into(),
        key: Some("secret-key".into()),
        headers,
    };
    let shelf = Shelf::new(Fares::Well);
    let endpoint = Rc::new(Endpoint::new(&settings, transport, Rc::new(Leap::default())).unwrap());
    ask(&*chats(&endpoint, &shelf), &request(false));
    let kept = format!("{:?}", shelf.kept.borrow());
    assert!(kept.contains("Ben."));
    for hidden in ["secret", "127.0.0.1", "Who rang"] {
        assert!(!kept.contains(hidden), "{kept}");
    }
}

/// A chat model that is gone after so many requests.
struct Mortal {
    left: Cell<usize>,
    asked: Rc<RefCell<Vec<ChatRequest>>>,
}

impl ChatModel for Mortal {
    fn name(&self) -> &str {
        "mortal"
    }

    fn chat<'a>(&'a self, request: &'a ChatRequest, _: &'a dyn Caller) -> Later<'a, Result<ChatReply>> {
        let Some(left) = self.left.get().checked_sub(1) else {
            return Box::pin(std::future::ready(Err(Error::new(Code::Aborted, "the call was cancelled"))));
        };
        self.left.set(left);
        self.asked.borrow_mut().push(request.clone());
        let text = match crate::double::task(request) {
            "entities" => {
                r#"{"entities":[{"name":"Ann Bell","type":"person","description":"Ann Bell rings."}]}"#
            }
            "triples" => r#"{"triples":[]}"#,
            "gleaning" => r#"{"entities":[],"triples":[]}"#,
            "events" => r#"{"events":[{"label":"ringing","details":"Ann Bell rang the bell."}]}"#,
            _ => "Ann Bell rang.",
        };
        let tokens = Tokens { prompt: 10, completion: 5 };
        let reply = ChatReply { text: text.to_owned(), finish: Finish::Stop, tokens, kept: Usage::default() };
        Box::pin(std::future::ready(Ok(reply)))
    }
}

#[test]
fn a_build_that_ends_at_any_request_asks_for_nothing_twice() {
    let chapters = (1..=3).map(|n| format!("CHAPTER {n}\n\nAnn Bell rang the bell of the mill {n} times. Then Ann Bell went home over the hill.\n\n"));
    let book: String = chapters.collect();
    let build = |models: &Models| {
        let built = block_on(Engine::build_with(
            book.as_bytes(),
            &Default::default(),
            IndexConfig::default(),
            models,
            &Native::default(),
        ));
        built.map(|(engine, usage)| (engine.save().unwrap(), usage))
    };
    let with = |left: usize, asked: &Rc<RefCell<Vec<ChatRequest>>>| Models {
        chat: Some(Rc::new(Mortal { left: Cell::new(left), asked: Rc::clone(asked) })),
        embed: Some(Rc::new(Letters::default())),
        at_once: 2,
        ..Models::default()
    };
    let asked = Rc::default();
    let (whole, spent) = build(&with(usize::MAX, &asked)).unwrap();
    let requests = asked.borrow().len();
    assert!(requests >= 9, "{requests}");
    for left in 0..requests {
        let (store, asked): (Rc<dyn Store>, _) = (Shelf::new(Fares::Slowly), Rc::default());
        assert_eq!(build(&with(left, &asked).keeping(&store)).unwrap_err().code(), Code::Aborted);
        let (again, rest) = build(&with(usize::MAX, &asked).keeping(&store)).unwrap();
        assert_eq!(again, whole, "ended after {left}");
        assert_eq!(asked.borrow().len(), requests, "ended after {left}");
        assert!(rest.prompt < spent.prompt || left == 0, "only what is new is spent");
    }
}
