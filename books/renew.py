#!/usr/bin/env python3
"""Find each evidence quote again after a story was changed.

For every <slug>.questions.jsonl beside this script, `start` and `end` of each
span are set to where its `quote` now stands in <slug>.txt, in Unicode code
points. A quote that stands in several places goes to the one nearest to its
old start; a quote that stands nowhere is reported and left alone. Nothing else
in a line is changed. Run check.py afterwards.

Usage: python3 renew.py        (exit status 0 when every quote was found)
"""
import json
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent


def places(text, quote):
    at = text.find(quote) if quote else -1
    while at >= 0:
        yield at
        at = text.find(quote, at + 1)


def renew(path):
    text = path.with_name(path.name.replace(".questions.jsonl", ".txt")).read_text(encoding="utf-8")
    lines, moved, lost = [], 0, 0
    for line in path.read_text(encoding="utf-8").splitlines():
        q = json.loads(line)
        for e in q["evidence"]:
            old = e.get("start", 0)
            new = min(places(text, e["quote"]), key=lambda at: abs(at - old), default=None)
            if new is None:
                lost += 1
                print(f"LOST {q['id']}: {e['quote'][:60]!r}", file=sys.stderr)
                continue
            moved += new != e.get("start")
            e["start"], e["end"] = new, new + len(e["quote"])
        lines.append(json.dumps(q, ensure_ascii=False) + "\n")
    path.write_text("".join(lines), encoding="utf-8")
    print(f"{path.name}: {moved} spans moved, {lost} lost")
    return lost


if __name__ == "__main__":
    sys.exit(1 if sum(renew(p) for p in sorted(HERE.glob("*.questions.jsonl"))) else 0)
