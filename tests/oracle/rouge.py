"""Reference rows for ROUGE-L of src/eval/rouge.rs and the stems of src/eval/porter.rs, by other implementations.

    python tests/oracle/rouge.py > tests/data/rouge.json

Made with Python 3.11, rouge-score 0.1.2 and nltk 3.10.4. Words are drawn from the bundled story and from
suffixes that the stemmer's rules meet; texts are drawn from the story's sentences, with words dropped,
exchanged and doubled. The seed is fixed.
"""

import json
import random
import re
from pathlib import Path

from nltk.stem.porter import PorterStemmer
from rouge_score.rouge_scorer import RougeScorer

STORY = (Path(__file__).resolve().parents[2] / "books/white-line.txt").read_text(encoding="utf-8")
STEMS = [
    "sky", "die", "dy", "happ", "gener", "relat", "condit", "ration", "val", "hesit", "digit", "conform", "radic",
    "differ", "vil", "analog", "vietnam", "predic", "oper", "feud", "decis", "hope", "call", "form", "sens",
    "tripl", "electr", "good", "reviv", "allow", "infer", "airl", "gyrosc", "adjust", "defens", "irrit", "replac",
    "depend", "adopt", "commun", "activ", "angular", "homolog", "effect", "bowdler", "prob", "rat", "ceas",
    "control", "rol", "by", "sayy", "yy", "t", "x", "tr", "a", "ro", "fail", "fizz", "hiss", "tann", "logi", "geo",
]
SUFFIXES = [
    "", "s", "es", "ies", "sses", "ss", "ed", "ied", "eed", "ing", "y", "ly", "ational", "tional", "enci", "anci",
    "izer", "abli", "bli", "alli", "ally", "entli", "eli", "ousli", "ization", "ation", "ator", "alism", "iveness",
    "fulness", "ousness", "aliti", "iviti", "biliti", "fulli", "fully", "logi", "logy", "icate", "ative", "alize",
    "iciti", "ical", "ful", "ness", "al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent",
    "sion", "tion", "ion", "ou", "ism", "ate", "iti", "ous", "ive", "ize", "e", "ll", "lle",
]


def altered(rng, sentence):
    words = sentence.split()
    out = []
    for word in words:
        draw = rng.random()
        if draw < 0.15:
            continue
        if draw < 0.25:
            out.append(rng.choice(words))
        elif draw < 0.3:
            out += [word, word]
        else:
            out.append(word)
    return " ".join(out)


def main():
    rng = random.Random(20261130)
    stemmer = PorterStemmer()
    story = sorted(set(re.findall(r"[a-z]+", STORY.lower())))
    words = rng.sample(story, 600) + rng.sample([stem + suffix for stem in STEMS for suffix in SUFFIXES], 900)
    words += list(stemmer.pool)
    sentences = [one for one in re.split(r"(?<=[.!?])\s+", STORY.replace("\n", " ")) if 4 < len(one.split()) < 60]
    scorer = RougeScorer(["rougeL"], use_stemmer=True)
    rows = []
    for _ in range(120):
        gold = rng.choice(sentences)
        answer = altered(rng, gold) if rng.random() < 0.7 else rng.choice(sentences)
        rows.append([answer, gold, scorer.score(gold, answer)["rougeL"].fmeasure])
    for answer, gold in [("", "a"), ("a", ""), ("The key.", "key the"), ("ÉCOLE école", "cole"), ("İ K 12", "i k 12")]:
        rows.append([answer, gold, scorer.score(gold, answer)["rougeL"].fmeasure])
    stems = [[word, stemmer.stem(word)] for word in sorted(set(words))]
    lines = lambda items: "[\n" + ",\n".join(json.dumps(item, ensure_ascii=False) for item in items) + "\n]"
    print(f'{{"stems": {lines(stems)},\n"rouge_l": {lines(rows)}}}')


main()
