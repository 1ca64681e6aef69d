"""Reference rows for the scorer of src/eval/score.rs, by Python's own re, string and Counter.

    python3 tests/oracle/scorer.py > tests/data/scorer.json

Made with Python 3.11. The rows are drawn from a fixed seed out of pieces that the rules of the scorer
meet: articles, ASCII and other punctuation, cases, white space of several kinds.
"""

import json
import random
import re
import string
from collections import Counter

PIECES = [
    "a", "an", "the", "The", "A", "AN", "key", "Key", "keys", "lantern", "mill", "brass", "theatre", "another",
    "Ødegård", "école", "ÉCOLE", "naïve", "STRASSE", "straße", "ΟΔΟΣ", "12", "a1", "1a", "x_y", "_", "o'clock",
    "“the", "key”", "’s", "—", "–", "…", "a—the", "the-an", "a.b", "t.h.e", "a,", "the!", "(an)", "*", "#", "é",
    "日本", "a日", "🌊", "a🌊the",
]
SPACES = [" ", " ", " ", "  ", "\t", "\n", "\u00a0", "\u2003", "\x1d", "", ""]


def normalise(text):
    text = "".join(c for c in text.lower() if c not in string.punctuation)
    return " ".join(re.sub(r"\b(a|an|the)\b", " ", text).split())


def f1(prediction, gold):
    prediction, gold = normalise(prediction).split(), normalise(gold).split()
    shared = sum((Counter(prediction) & Counter(gold)).values())
    if shared == 0:
        return 0.0
    precision, recall = shared / len(prediction), shared / len(gold)
    return 2 * precision * recall / (precision + recall)


def text(rng):
    return "".join(rng.choice(PIECES) + rng.choice(SPACES) for _ in range(rng.randrange(7)))


def main():
    rng = random.Random(7)
    rows = []
    for _ in range(400):
        prediction, gold = text(rng), text(rng)
        if rng.random() < 0.2:
            gold = prediction.upper() if rng.random() < 0.5 else f"The {prediction}."
        rows.append({
            "prediction": prediction,
            "gold": gold,
            "normalised": normalise(prediction),
            "f1": f1(prediction, gold),
            "em": normalise(prediction) == normalise(gold),
        })
    lines = ",\n".join(json.dumps(row, ensure_ascii=True) for row in rows)
    print(f'{{"made_by": "tests/oracle/scorer.py", "rows": [\n{lines}\n]}}')


main()
