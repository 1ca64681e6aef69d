"""Asks small chat models for records of our own story and keeps, word for word, what they write.

    python tests/data/replies/ask.py http://127.0.0.1:8080/v1 MODEL heard.jsonl [first [last]]

Any OpenAI-compatible server will do. What is in the corpus was written by llama.cpp, as node-llama-cpp 3.21.1
holds it, behind a small server of its chat with `temperature`, `max_tokens`, `seed` and `response_format`
(json_object: its grammar "json"), on one thread; asked with Python 3.11:

    smollm2-135m        SmolLM2-135M-Instruct, Q4_1
    qwen2.5-coder-0.5b  Qwen2.5-Coder-0.5B-Instruct, Q4_K_M

One request at a time. A line of heard.jsonl holds how it was asked (`task`, `style`, `passage`,
`temperature`, `max_tokens`, `format`), the `reply` and its `finish`. A reply goes into the corpus with its
`kind` and the reading that a person gives it; nothing here reads replies.
"""

import json
import sys
import urllib.request
from pathlib import Path

STORY = Path(__file__).resolve().parents[3] / "books" / "white-line.txt"

WANTED = {
    "entities": (
        "the people, groups, places and objects that are named",
        '[{"name": "...", "type": "person, group, place or object", "description": "one sentence"}]',
        "name, type, description",
        '("entity"###name###type###description)',
    ),
    "triples": (
        "the facts about the people as triples",
        '[{"subject": "...", "predicate": "...", "object": "..."}]',
        "subject, predicate, object",
        '("triple"###subject###predicate###object)',
    ),
    "events": (
        "what happens, in order",
        '[{"label": "name of the event", "details": "what happened and who took part"}]',
        "label, details",
        '("event"###label###details)',
    ),
}


def prompt(task, style, passage):
    what, example, fields, line = WANTED[task]
    asks = {
        "shape": f"List {what} in the text. Answer with a JSON array only, like this:\n{example}",
        "fields": f"Extract {what} from the text as a JSON array of objects with the fields {fields}.",
        "object": f"Return one JSON object that holds {what} of the text under the key \"{task}\".",
        "pairs": f"Give {what} in the text as JSON. Each is an array: [{fields}].",
        "tuples": f"List {what} in the text, each on a line of its own like this, and <end> after the last:\n{line}",
        "table": f"List {what} in the text with {fields}.",
        "python": f"Write {what} in the text as a Python list of dicts with the keys {fields}. No code besides.",
    }
    return f"{asks[style]}\n\nText:\n{passage}"


def passages():
    """Runs of paragraphs of at least 90 words, from evenly spread places."""
    paragraphs = [p for p in STORY.read_text(encoding="utf-8").split("\n\n") if len(p.split()) > 12]
    found = []
    for start in range(0, len(paragraphs), max(1, len(paragraphs) // 24)):
        text = ""
        for paragraph in paragraphs[start:]:
            text = f"{text}\n\n{paragraph}".strip()
            if len(text.split()) >= 90:
                break
        found.append(" ".join(text.split()[:150]))
    return found


def plans():
    """How each request is asked: every value of each setting meets many of the others."""
    tasks, styles = list(WANTED), ["shape", "fields", "object", "pairs", "tuples", "table", "python"]
    temperatures, limits = [0.0, 0.4, 0.7, 1.0], [60, 160, 120, 200, 240]
    formats = [None, None, "json_object", None]
    texts = passages()
    for n in range(120):
        yield {
            "task": tasks[n % 3],
            "style": styles[n % 7],
            "passage": n % len(texts),
            "temperature": temperatures[n % 4],
            "max_tokens": limits[n % 5],
            "format": formats[(n // 2) % 4],
        }, texts[n % len(texts)]


def ask(base, model, plan, passage):
    body = {
        "model": model,
        "messages": [{"role": "user", "content": prompt(plan["task"], plan["style"], passage)}],
        "temperature": plan["temperature"],
        "max_tokens": plan["max_tokens"],
        "seed": 7,
    }
    if plan["format"]:
        body["response_format"] = {"type": plan["format"]}
    request = urllib.request.Request(
        f"{base}/chat/completions", json.dumps(body).encode(), {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request, timeout=300) as answer:
        choice = json.load(answer)["choices"][0]
    return choice["message"]["content"], choice["finish_reason"]


def main():
    base, model, path = sys.argv[1:4]
    first, last = (int(word) for word in (sys.argv[4:] + ["0", "1000"][len(sys.argv) - 4 :]))
    for number, (plan, passage) in enumerate(plans()):
        if first <= number < last:
            try:
                reply, finish = ask(base, model, plan, passage)
            except OSError as fault:
                print(number, fault, file=sys.stderr)
                continue
            heard = {"source": model, "number": number, **plan, "finish": finish, "reply": reply}
            with open(path, "a", encoding="utf-8") as out:
                out.write(json.dumps(heard, ensure_ascii=False) + "\n")


main()
