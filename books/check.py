#!/usr/bin/env python3
"""Check the bundled stories and their question files.

For every <slug>.txt beside this script: encoding, line ends, chapter and word
counts. For every <slug>.questions.jsonl: ids, types, choices, and that each
evidence quote is exactly text[start:end], counted in Unicode code points.

Usage: python3 check.py        (exit status 0 when all is well, 1 otherwise)
"""
import json
import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
CHAPTER = re.compile(r"^CHAPTER [IVXLC]+$", re.M)
TYPES = {"char", "plot", "mix"}
NOT_FOUND = "not in the book"


def check_text(path, problems):
    raw = path.read_bytes()
    if raw.startswith(b"\xef\xbb\xbf"):
        problems.append(f"{path.name}: starts with a byte order mark")
    if b"\r" in raw:
        problems.append(f"{path.name}: has carriage returns")
    text = raw.decode("utf-8")
    heads = list(CHAPTER.finditer(text))
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
    seen, counts, spans, per_chapter = set(), {}, 0, {}
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
        counts["none" if absent else q["type"]] = counts.get("none" if absent else q["type"], 0) + 1
        if absent and (q["answers"] != [NOT_FOUND] or q["evidence"]):
            problems.append(f"{where}: a question without an answer must have none")
        if not absent and not (q["answers"] and q["evidence"]):
            problems.append(f"{where}: no answer or no evidence")
        if "choices" in q:
            c = q["choices"]
            if len(c) != 4 or len(set(c)) != 4 or q.get("label") not in list("ABCD"):
                problems.append(f"{where}: needs four different choices and a label A to D")
        for e in q["evidence"]:
            spans += 1
            got = text[e["start"]:e["end"]]
            if not got or got != e["quote"]:
                problems.append(f"{where}: text[{e['start']}:{e['end']}] is {got[:60]!r}, "
                                f"the quote is {e['quote'][:60]!r}")
            chapter = sum(s <= e["start"] for s in starts)
            per_chapter[chapter] = per_chapter.get(chapter, 0) + 1
    print(f"{path.name}: {len(seen)} questions {counts}, {spans} spans, "
          f"spans per chapter {dict(sorted(per_chapter.items()))}")


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
