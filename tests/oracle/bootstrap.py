"""Reference intervals for src/eval/bootstrap.rs and differences for src/eval/summary.rs.

    venv/bin/python tests/oracle/bootstrap.py > tests/data/bootstrap.json

Made with Python 3.11, numpy 2.4.6 and scipy 1.17.1. Three kinds of rows:

- `drawn`: the resampling done again, over Python's own integers, with the published SplitMix64 from 0;
- `exact`: of so few questions that all ways to draw them can be listed, the true quantiles of the mean;
- `scipy`: scipy.stats.bootstrap's percentile interval with another generator and many more resamples,
  also of paired differences.
"""

import itertools
import json
import math
import random
from fractions import Fraction

import numpy as np
from scipy.stats import bootstrap

MASK = (1 << 64) - 1


def splitmix(state=0):
    while True:
        state = (state + 0x9E3779B97F4A7C15) & MASK
        mixed = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) & MASK
        yield mixed ^ (mixed >> 31)


def units(values):
    """Books as lists of their values where five or more, else single values."""
    books = sorted({book for book, _ in values})
    if len(books) >= 5:
        return [[value for of, value in values if of == book] for book in books]
    return [[value] for _, value in values]


def drawn(values):
    drawing, choose = units(values), splitmix()
    means = []
    for _ in range(1000):
        all_values = []
        for _ in drawing:
            all_values += drawing[(next(choose) * len(drawing)) >> 64]
        means.append(math.fsum(all_values) / len(all_values))
    means.sort()
    return [means[24], means[975]]


def exact(values):
    """The least mean that at least 2.5 % (97.5 %) of all equally likely draws do not exceed."""
    plain = [Fraction(value) for _, value in values]
    means = sorted(sum(draw) / len(draw) for draw in itertools.product(plain, repeat=len(plain)))
    at = lambda share: float(means[min(len(means) - 1, math.ceil(share * len(means)) - 1)])
    return [at(0.025), at(0.975)]


def by_scipy(values):
    data = (np.array([value for _, value in values]),)
    found = bootstrap(data, np.mean, method="percentile", n_resamples=40000, rng=np.random.default_rng(11))
    return [found.confidence_interval.low, found.confidence_interval.high]


def rows(rng):
    for books, size in [(1, 12), (3, 40), (4, 25), (5, 30), (9, 60), (23, 200)]:
        share = [rng.random() for _ in range(books)]
        yield "drawn", [(at % books, float(rng.random() < share[at % books])) for at in range(size)]
        yield "drawn", [(rng.randrange(books) if at >= books else at, round(rng.uniform(-1, 1), 3)) for at in range(size)]
    for size in (2, 4, 6):
        yield "exact", [(0, float(at % 2)) for at in range(size)]
    yield "exact", [(0, value) for value in (0.0, 0.25, 0.5, 0.75, 1.0, 1.0)]
    yield "scipy", [(0, round(rng.random(), 3)) for _ in range(80)]
    yield "scipy", [(0, float(rng.random() < 0.3)) for _ in range(300)]
    one = [float(rng.random() < 0.7) for _ in range(250)]
    other = [value if rng.random() < 0.8 else float(rng.random() < 0.4) for value in one]
    yield "scipy", [(0, b - a) for a, b in zip(one, other)]


MAKERS = {"drawn": drawn, "exact": exact, "scipy": by_scipy}
made = [{"by": by, "values": values, "interval": MAKERS[by](values)} for by, values in rows(random.Random(20261130))]
print('{"made_by": "tests/oracle/bootstrap.py", "rows": [')
print(",\n".join(json.dumps(row) for row in made))
print("]}")
