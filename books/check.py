#!/usr/bin/env python3
"""Check the bundled stories and their question files.

For every <slug>.txt beside this script: encoding, line ends, quotation marks,
chapter numbers and word counts. For every <slug>.questions.jsonl: ids, types,
choices, that each evidence quote is exactly text[start:end], counted in Unicode
code points, that no span crosses a chapter, and that the questions are as many
and as widely spread as PROMISED says.

Usage: python3 check.py        (exit status 0 when all is well, 1 otherwise)
"""
import json
import re
import sys
from collections import Counter
from pathlib import Path

HERE = Path(__file__).resolve().parent
CHAPTER = re.compile(r"^CHAPTER [IVXLC]+$", re.M)
TYPES = {"char", "plot", "mix"}
WORDINGS = {"key", "mixed", "free"}
NOT_FOUND = "not in the book"
ROMAN = [(10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I")]

# What a story's README says: chapters, questions of each kind, questions with
# choices, and the least number of questions in each range of chapters.
PROMISED = {
    "white-line": {
        "chapters": 24,
        "kinds": {"char": 15, "plot": 15, "mix": 15, "none": 5},
        "wordings": {"key": 15, "mixed": 15, "free": 15},
        "choices": 12,
        "ranges": {(1, 5): 8, (6, 12): 10, (13, 18): 10, (19, 24): 10},
    },
}


def roman(n):
    out = ""
    for value, letters in ROMAN:
        while n >= value:
            out, n = out + letters, n - value
    return out


def check_text(path, problems):
    raw = path.read_bytes()
    if raw.startswith(b"\xef\xbb\xbf"):
        problems.append(f"{path.name}: starts with a byte order mark")
    if b"\r" in raw:
        problems.append(f"{path.name}: has carriage returns")
    text = raw.decode("utf-8")
    heads = list(CHAPTER.finditer(text))
    for i, head in enumerate(heads, 1):
        if head.group() != f"CHAPTER {roman(i)}":
            problems.append(f"{path.name}: {head.group()} is number {i}")
    for n, line in enumerate(text.split("\n"), 1):
        if line != line.strip() or "  " in line:
            problems.append(f"{path.name}:{n}: stray space")
        if line.count("“") != line.count("”"):
            problems.append(f"{path.name}:{n}: quotation marks do not pair")
    print(f"{path.name}: {len(text.split())} words, {len(text)} code points, "
          f"{len(raw)} bytes, {len(heads)} chapters")
    for i, head in enumerate(heads):
        end = heads[i + 1].start() if i + 1 < len(heads) else len(text)
        lines = [l for l in text[head.start():end].split("\n") if l.strip()]
        words = sum(len(l.split()) for l in lines[2:])
        print(f"  {lines[0]:<12} {words:>5} words  {lines[1]}")
    return text, [h.start() for h in heads]


def check_questions(path, text, starts, problems):
    slug = path.name[: -len(".questions.jsonl")]
    seen, spans = set(), 0
    kinds, wordings, per_chapter = Counter(), Counter(), Counter()
    choices = 0
    for n, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        where = f"{path.name}:{n}"
        try:
            q = json.loads(line)
        except ValueError as e:
            problems.append(f"{where}: not JSON ({e})")
            continue
        missing = [k for k in ("id", "question", "answers", "evidence", "type") if k not in q]
        if missing:
            problems.append(f"{where}: missing {', '.join(missing)}")
            continue
        if q["id"] in seen or not q["id"].startswith(slug + "-"):
            problems.append(f"{where}: bad or repeated id {q['id']!r}")
        seen.add(q["id"])
        if q["type"] not in TYPES:
            problems.append(f"{where}: unknown type {q['type']!r}")
        absent = "-none-" in q["id"]
        kinds["none" if absent else q["type"]] += 1
        if not absent:
            wordings[q.get("wording")] += 1
            if q.get("wording") not in WORDINGS:
                problems.append(f"{where}: unknown wording {q.get('wording')!r}")
        if absent and (q["answers"] != [NOT_FOUND] or q["evidence"]):
            problems.append(f"{where}: a question without an answer must have none")
        if not absent and not (q["answers"] and q["evidence"]):
            problems.append(f"{where}: no answer or no evidence")
        if "choices" in q:
            choices += 1
            c = q["choices"]
            if len(c) != 4 or len(set(c)) != 4 or q.get("label") not in list("ABCD"):
                problems.append(f"{where}: needs four different choices and a label A to D")
        if len(q["evidence"]) > 2:
            problems.append(f"{where}: more than two spans")
        chapters = set()
        for e in q["evidence"]:
            spans += 1
            got = text[e["start"]:e["end"]]
            if not got or got != e["quote"]:
                problems.append(f"{where}: text[{e['start']}:{e['end']}] is {got[:60]!r}, "
                                f"the quote is {e['quote'][:60]!r}")
            chapter = sum(s <= e["start"] for s in starts)
            if chapter != sum(s < e["end"] for s in starts):
                problems.append(f"{where}: a span crosses into another chapter")
            chapters.add(chapter)
        per_chapter.update(chapters)
    print(f"{path.name}: {len(seen)} questions {dict(kinds)}, {choices} with choices, "
          f"wordings {dict(wordings)}, {spans} spans")
    print(f"  questions with evidence in chapter {dict(sorted(per_chapter.items()))}")
    if slug in PROMISED:
        found = {"chapters": len(starts), "kinds": dict(kinds), "wordings": dict(wordings), "choices": choices}
        check_promise(path.name, PROMISED[slug], found, per_chapter, problems)


def check_promise(name, promised, found, per_chapter, problems):
    for key, value in found.items():
        if value != promised[key]:
            problems.append(f"{name}: {key} {value}, promised {promised[key]}")
    for (first, last), least in promised["ranges"].items():
        got = sum(per_chapter[c] for c in range(first, last + 1))
        if got < least:
            problems.append(f"{name}: chapters {first} to {last} have {got} questions, promised {least}")
    empty = [c for c in range(1, promised["chapters"] + 1) if not per_chapter[c]]
    if empty:
        problems.append(f"{name}: no question has evidence in chapter {empty}")


def main():
    problems = []
    books = sorted(p for p in HERE.glob("*.txt"))
    if not books:
        problems.append("no stories found")
    for book in books:
        text, starts = check_text(book, problems)
        questions = book.with_name(book.stem + ".questions.jsonl")
        if questions.exists():
            check_questions(questions, text, starts, problems)
    for p in problems:
        print("PROBLEM", p, file=sys.stderr)
    print("all well" if not problems else f"{len(problems)} problem(s)")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
