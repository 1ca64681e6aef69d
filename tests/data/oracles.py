"""Numbers that independent implementations give for the algorithms, written to oracles.json.

Made with Python 3.11+, networkx 3.6.1, igraph 1.0.0, scipy 1.17.1, numpy 2.4.6, snowballstemmer 3.1.1:

    python -m venv venv && venv/bin/pip install networkx==3.6.1 igraph==1.0.0 scipy==1.17.1 numpy==2.4.6 snowballstemmer==3.1.1
    venv/bin/python tests/data/oracles.py

tests/native/oracle.rs compares them and derives its tolerances. Nothing here calls or copies the crate's
code, except that stop words are read from its list, which is data.
"""

import json
import math
import random
import re
from fractions import Fraction
from pathlib import Path

import igraph
import networkx as nx
import numpy as np
import snowballstemmer
from scipy.optimize import linear_sum_assignment, linprog

HERE = Path(__file__).resolve().parent
random.seed(20260901)


def weight():
    return round(random.uniform(0.1, 5), 3)


def ranked(name, graph, restart, damping):
    size = graph.number_of_nodes()
    start = {node: restart[node] for node in range(size)}
    rank = nx.pagerank(
        graph, alpha=damping, personalization=start, dangling=start, tol=1e-16, max_iter=5000
    )
    edges = [[a, b, data["weight"]] for a, b, data in graph.edges(data=True)]
    return {
        "name": name,
        "size": size,
        "edges": edges,
        "restart": restart,
        "damping": damping,
        "rank": [rank[node] for node in range(size)],
    }


def pageranks():
    dangling = nx.DiGraph()
    dangling.add_nodes_from(range(9))
    for source in range(8):  # vertex 8 has no way out
        for target in random.sample([v for v in range(9) if v != source], 3):
            dangling.add_edge(source, target, weight=weight())
    dangling.add_edge(0, 8, weight=weight())

    parted = nx.DiGraph()
    parted.add_nodes_from(range(14))
    for low, high in ((0, 6), (6, 13)):  # two parts without an edge between them, and 13 alone
        for _ in range(12):
            a, b = random.sample(range(low, high), 2)
            w = weight()
            parted.add_edge(a, b, weight=w)
            parted.add_edge(b, a, weight=w)

    wide = nx.DiGraph()
    wide.add_nodes_from(range(60))
    for _ in range(300):
        a, b = random.sample(range(60), 2)
        wide.add_edge(a, b, weight=weight())
    return [
        ranked("dangling", dangling, [1, 0, 0, 2, 0, 0, 0, 0, 0.5], 0.5),
        ranked("parted", parted, [0, 1, 0, 0, 0, 0, 0.25, 0, 0, 0, 0, 0, 0, 1], 0.85),
        ranked("wide", wide, [round(random.random(), 3) for _ in range(60)], 0.95),
    ]


def unit_rows(rows):
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 0)


def fast_rp(adjacency, start, weights, power):
    """Chen and others 2019, by dense matrices: Z = sum of a_k unit(P^k L R), its rows scaled to length 1."""
    degrees = adjacency.sum(axis=1)
    inverse = np.divide(1, degrees, out=np.zeros_like(degrees), where=degrees > 0)
    walk = np.diag(inverse) @ adjacency
    share = degrees / degrees.sum()
    scale = np.power(share, power, out=np.zeros_like(share), where=share > 0)
    total = np.zeros_like(start)
    for step, weight in enumerate(weights, 1):
        reached = np.linalg.matrix_power(walk, step) @ np.diag(scale) @ start
        total += weight * unit_rows(reached)
    return unit_rows(total)


def projections():
    cases = []
    numbers = np.random.default_rng(20261130)  # its own, so that the other parts stay as they are
    for size, dims, edges, weights, power in (
        (6, 4, 7, [0, 1, 1], 0),
        (14, 16, 30, [0, 1, 1], 0),
        (14, 16, 24, [1, 1, 7.81, 45.28], -0.6),
        (20, 8, 12, [0, 0, 1, 6.67], 0.25),  # several parts, vertices without an edge
    ):
        adjacency = np.zeros((size, size))
        for _ in range(edges):
            a, b = numbers.choice(size, 2, replace=False)
            adjacency[a, b] = adjacency[b, a] = round(float(numbers.uniform(0.25, 6)), 2)
        start = numbers.choice([math.sqrt(3), 0, -math.sqrt(3)], (size, dims), p=[1 / 6, 2 / 3, 1 / 6])
        found = fast_rp(adjacency, start, weights, power)
        edges = [[int(a), int(b), float(adjacency[a, b])] for a, b in zip(*np.nonzero(adjacency))]
        cases.append(
            {
                "size": size,
                "dims": dims,
                "edges": edges,
                "start": np.sign(start).astype(int).tolist(),
                "weights": weights,
                "power": power,
                "rows": found.round(9).tolist(),
            }
        )
    return cases


def fusions():
    """Reciprocal rank fusion by its definition, in exact fractions."""
    draw = random.Random(60)
    cases = []
    for k in (60, 60, 1):
        lists = [draw.sample(range(12), draw.randint(0, 9)) for _ in range(4)]
        scores = {}
        for ranking in lists:
            for rank, item in enumerate(ranking, start=1):
                scores[item] = scores.get(item, Fraction(0)) + Fraction(1, k + rank)
        best = sorted(scores, key=lambda item: (-scores[item], item))
        cases.append({"k": k, "lists": lists, "items": best, "scores": [float(scores[item]) for item in best]})
    return cases


def separators():
    """Vertices without which two terminals fall apart, by taking each away; for terminals everywhere these are
    the articulation points."""
    draw = random.Random(85)
    cases = []
    for size, links, share in ((12, 14, 0.4), (30, 32, 0.3), (30, 40, 0.2), (40, 44, 1.0), (9, 30, 0.5)):
        graph = nx.gnm_random_graph(size, links, seed=draw.randrange(10**6))
        terminals = [node for node in graph if draw.random() <= share]
        found = []
        for node in graph:
            others = [terminal for terminal in terminals if terminal != node]
            whole = nx.node_connected_component
            without = graph.copy()
            without.remove_node(node)
            parted = any(b in whole(graph, a) and b not in whole(without, a) for a in others for b in others)
            found.append(parted)
        if len(terminals) == size:
            assert {node for node, parted in enumerate(found) if parted} == set(nx.articulation_points(graph))
        cases.append({"size": size, "edges": [list(edge) for edge in graph.edges], "terminals": terminals, "separators": [node for node, parted in enumerate(found) if parted]})
    assert any(case["separators"] for case in cases) and not cases[-1]["separators"]
    return cases


def assignments():
    cases = []
    for _ in range(20):
        rows, columns = random.randint(1, 14), random.randint(1, 14)
        # A third of the cells are no edges: zero or below.
        weights = [
            [round(random.uniform(-0.5, 1) * random.choice([1, 1, 50]), 6) for _ in range(columns)]
            for _ in range(rows)
        ]
        positive = np.maximum(np.array(weights), 0)
        chosen = linear_sum_assignment(positive, maximize=True)
        cases.append({"weights": weights, "sum": float(positive[chosen].sum())})
    return cases


def bm25(documents, query):
    """Scores of lists of terms, straight from the definition."""
    count = len(documents)
    mean = sum(map(len, documents)) / count
    scores = []
    for document in documents:
        score = 0.0
        for term in query:
            df = sum(term in other for other in documents)
            idf = math.log(1 + (count - df + 0.5) / (df + 0.5))
            tf = document.count(term)
            score += idf * tf * 2.2 / (tf + 1.2 * (0.25 + 0.75 * len(document) / mean))
        scores.append(score)
    return scores


def streams():
    cases = []
    for _ in range(3):
        documents = [
            [min(int(random.paretovariate(0.7)), 20) for _ in range(random.randint(1, 40))] for _ in range(12)
        ]
        query = random.sample(range(1, 21), 5)
        cases.append({"documents": documents, "query": query, "scores": bm25(documents, query)})
    return cases


TEXTS = [
    "The miller's daughters were counting sacks; three sacks were missing.",
    "Nobody had seen the sacks since the flooding, and the miller shouted.",
    "Rain ran down the shouting street all night, and the mill flooded.",
    "She found a daughter's shoe, a brass bell and nineteen letters.",
    "Letters arrive late here, said the postmistress, because the bridges are down.",
    "The bell rang. The bell rang again. Nobody came to the bell.",
]
QUERIES = [
    "Who counted the miller's missing sacks?",
    "Why do the letters arrive so late?",
    "bell ringing nobody",
    "the and of zeppelin",
]


def texts():
    lines = (HERE / "../../src/offline/english/stop.txt").read_text().splitlines()
    stop = {word for line in lines if line.startswith(("stop:", "question:")) for word in line.split()[1:]}
    stem = snowballstemmer.stemmer("english").stemWord

    def terms(text):
        words = [word.removesuffix("'s") for word in re.findall(r"[a-z']+", text.lower())]
        return [stem(word) for word in words if word not in stop]

    documents = [terms(text) for text in TEXTS]
    return {
        "texts": TEXTS,
        "queries": [
            {"query": query, "scores": bm25(documents, list(dict.fromkeys(terms(query))))}
            for query in QUERIES
        ],
    }


def cohits():
    cases = []
    for rows, columns, lx, ly in ((5, 9, 0.5, 0.5), (12, 7, 0.85, 0.6)):
        w = np.array([[weight() if random.random() < 0.4 else 0 for _ in range(columns)] for _ in range(rows)])
        w[2, :] = 0  # a row without edges
        x0 = np.array([random.choice([0, 0, 1, 2]) for _ in range(rows)], float)
        y0 = np.array([random.choice([0, 1]) for _ in range(columns)], float)
        x0[0], y0[0] = 1, 1
        to_rows = w / np.where(w.sum(0) > 0, w.sum(0), 1)
        to_columns = (w / np.where(w.sum(1) > 0, w.sum(1), 1)[:, None]).T
        a, b = x0 / x0.sum(), y0 / y0.sum()
        x = np.linalg.solve(
            np.eye(rows) - lx * ly * to_rows @ to_columns, (1 - lx) * a + lx * (1 - ly) * to_rows @ b
        )
        y = (1 - ly) * b + ly * to_columns @ x
        cases.append(
            {
                "weights": w.tolist(),
                "row_start": x0.tolist(),
                "column_start": y0.tolist(),
                "lambda_rows": lx,
                "lambda_columns": ly,
                "rows": x.tolist(),
                "columns": y.tolist(),
            }
        )
    return cases


# Subject, predicate, object and chunk of each stated triple. The third repeats the first, the sixth turns
# it around; the fifth joins a phrase with itself.
TRIPLES = [
    ("Mr Tapp", "give", "a brass key", 0),
    ("Mr Tapp", "row", "the ferry", 0),
    ("Mr Tapp", "give", "A Brass-Key", 1),
    ("Mrs Quennell", "take", "the brass key", 1),
    ("the ferry", "be", "The Ferry", 1),
    ("a brass key", "belong to", "Mr Tapp", 2),
    ("Mrs Quennell", "say", "no", 2),
    ("the boat", "sink by", "the mill", 4),
    ("Mrs Quennell", "ask", "Mr Tapp", 4),
]
# Who is an entity, with the chunks that name each. Of the last one nothing is stated.
ENTITIES = {"Mr Tapp": [0, 1, 2, 3, 4], "Mrs Quennell": [1, 2, 4], "Ada": [2, 4]}
CHUNKS = 6  # chunks 3 and 5 hold no phrase
SYNONYM, MOST = 0.8, 100


def unit(vector):
    vector = np.array(vector, float)
    return vector / np.linalg.norm(vector)


def scaled(scores):
    low, high = min(scores), max(scores)
    return [(score - low) / (high - low) if high > low else 1.0 for score in scores]


def hippo():
    """HippoRAG 2 from triples to ranks: the graph, its synonyms, the restart, the walk."""

    def normal(text):
        return re.sub("[^A-Za-z0-9 ]", " ", text.lower()).strip()

    names = {normal(name): name for name in ENTITIES}
    phrases = list(names)
    for subject, _, object_, _ in TRIPLES:
        for phrase in (normal(subject), normal(object_)):
            if phrase not in phrases:
                phrases.append(phrase)
    place = {phrase: at for at, phrase in enumerate(phrases)}
    rng = np.random.default_rng(7)
    like = {"a brass key": "the brass key", "the boat": "the ferry", "no": "the mill"}
    vectors = {phrase: unit(rng.normal(size=4)) for phrase in phrases}
    for phrase, other in like.items():
        vectors[phrase] = unit(vectors[other] + 0.3 * rng.normal(size=4))
    vectors["mrs quennell"] = unit(vectors["mr tapp"] + 0.2 * rng.normal(size=4))  # over two stated facts

    ordered, facts, chunks_of = {}, [], {phrase: set() for phrase in phrases}
    for subject, predicate, object_, chunk in TRIPLES:
        a, b = normal(subject), normal(object_)
        if a == b:
            continue
        ordered[a, b] = ordered.get((a, b), 0) + 1
        ordered[b, a] = ordered.get((b, a), 0) + 1
        chunks_of[a].add(chunk)
        chunks_of[b].add(chunk)
        if (a, normal(predicate), b) not in facts:
            facts.append((a, normal(predicate), b))
    for name, chunks in ENTITIES.items():
        if not chunks_of[normal(name)]:
            chunks_of[normal(name)] = set(chunks)
    synonyms = []
    for phrase in phrases:
        if len(re.sub("[^A-Za-z0-9]", "", phrase)) <= 2:
            continue
        near = sorted((-float(vectors[phrase] @ vectors[other]), place[other]) for other in phrases if other != phrase)
        for cosine, other in near[:MOST]:
            if -cosine >= SYNONYM:
                ordered[phrase, phrases[other]] = -cosine
                synonyms.append([place[phrase], other, -cosine])

    size = len(phrases) + CHUNKS
    edges = [(place[a], place[b], w) for (a, b), w in ordered.items()]
    edges += [(place[p], len(phrases) + c, 1.0) for p, chunks in chunks_of.items() for c in chunks]

    question = unit(rng.normal(size=4))
    fact_vectors = [unit(question + 1.5 * rng.normal(size=4)) for _ in facts]
    chunk_vectors = [unit(rng.normal(size=4)) for _ in range(CHUNKS)]
    scores = scaled([float(vector @ question) for vector in fact_vectors])
    best = sorted(range(len(facts)), key=lambda at: (-scores[at], at))[:5]
    kept = [best[at] for at in (0, 1, 3)]  # as if a chat model had said so
    restart = np.zeros(size)
    for phrase in phrases:
        shares = [scores[f] / len(chunks_of[phrase]) for f in kept if phrase in (facts[f][0], facts[f][2])]
        restart[place[phrase]] = np.mean(shares) if shares else 0
    for weakest in sorted(range(len(phrases)), key=lambda at: -restart[at])[5:]:
        restart[weakest] = 0
    weights = restart[: len(phrases)].tolist()
    dense = scaled([float(vector @ question) for vector in chunk_vectors])
    restart[len(phrases) :] = 0.05 * np.array(dense)

    walked = igraph.Graph(n=size, edges=[(a, b) for a, b, _ in edges])
    ranks = walked.personalized_pagerank(
        damping=0.5, directed=False, weights=[w for _, _, w in edges], reset=restart.tolist(), implementation="prpack"
    )
    added = nx.Graph()
    added.add_nodes_from(range(size))
    for a, b, w in edges:
        added.add_edge(a, b, weight=w + (added[a][b]["weight"] if added.has_edge(a, b) else 0))
    start = dict(enumerate(restart))
    again = nx.pagerank(added, alpha=0.5, personalization=start, dangling=start, tol=1e-16, max_iter=5000)
    assert max(abs(ranks[at] - again[at]) for at in range(size)) < 1e-9
    return {
        "triples": TRIPLES,
        "entities": list(ENTITIES.items()),
        "chunks": CHUNKS,
        "phrases": phrases,
        "phrase_vectors": [vectors[phrase].tolist() for phrase in phrases],
        "synonyms": synonyms,
        "edges": [[a, b, data["weight"]] for a, b, data in added.edges(data=True)],
        "chunk_counts": [len(chunks_of[phrase]) for phrase in phrases],
        "question": question.tolist(),
        "facts": facts,
        "fact_vectors": [vector.tolist() for vector in fact_vectors],
        "chunk_vectors": [vector.tolist() for vector in chunk_vectors],
        "candidates": [[at, scores[at]] for at in best],
        "kept": kept,
        "phrase_weights": weights,
        "rank": ranks,
    }


WORDS = """lamplighter lanterns drowned drowning generously happily misunderstandings flies dying skis news
innings exceedingly succeeded proceeding herring earrings cats classes consistency relational conditional
probabilities hopefulness electrical formative replacement communism activate angularity homologous
effective bowdlerize controlling hopping hoped generation national y'all sandy""".split()


def stems():
    stem = snowballstemmer.stemmer("english").stemWord
    return [[word, stem(word)] for word in WORDS]


def by_flow(rows, columns, edges, bound):
    """The edges of the largest sum with at most `bound` at each node, by networkx's network simplex."""
    units = bound * min(rows, columns)
    graph = nx.DiGraph()
    graph.add_node("source", demand=-units)
    graph.add_node("sink", demand=units)
    graph.add_edge("source", "sink", capacity=units, weight=0)  # what is better not matched
    for row in range(rows):
        graph.add_edge("source", ("row", row), capacity=bound, weight=0)
    for column in range(columns):
        graph.add_edge(("column", column), "sink", capacity=bound, weight=0)
    for row, column, w in edges:
        graph.add_edge(("row", row), ("column", column), capacity=1, weight=-round(w * 1000))
    flow = nx.min_cost_flow(graph)
    return [[row, column] for row, column, _ in edges if flow["row", row]["column", column]]


def by_program(rows, columns, edges, bound):
    """The largest sum, by scipy's linear program; its matrix is unimodular, so whole edges are best."""
    if not edges:
        return 0.0
    uses = np.zeros((rows + columns, len(edges)))
    for place, (row, column, _) in enumerate(edges):
        uses[row, place] = uses[rows + column, place] = 1
    costs = [-w for _, _, w in edges]
    return -linprog(costs, A_ub=uses, b_ub=np.full(rows + columns, bound), bounds=(0, 1)).fun


def matchings():
    rng = random.Random(20261130)
    cases = []
    for number in range(60):
        kind = ("sparse", "ties", "full")[number % 3]
        rows, columns = (rng.randint(1, 30 if kind == "sparse" else 9) for _ in range(2))
        share = {"sparse": 0.12, "ties": 0.6, "full": 1.0}[kind]
        draw = (lambda: rng.randint(1, 3)) if kind == "ties" else (lambda: round(rng.uniform(0.001, 5), 3))
        edges = [[r, c, draw()] for r in range(rows) for c in range(columns) if rng.random() < share]
        case = {"rows": rows, "columns": columns, "edges": edges, "sums": []}
        weight_of = {(r, c): w for r, c, w in edges}
        for bound in (1, 2, 3):
            pairs = by_flow(rows, columns, edges, bound)
            total = sum(weight_of[r, c] for r, c in pairs)
            assert abs(total - by_program(rows, columns, edges, bound)) < 1e-6
            case["sums"].append(round(total, 3))
        weights = np.array([[weight_of.get((r, c), 0) for c in range(columns)] for r in range(rows)])
        graph = nx.Graph()
        graph.add_weighted_edges_from((r, rows + c, w) for r, c, w in edges)
        matched = nx.max_weight_matching(graph)
        for total in (
            weights[linear_sum_assignment(weights, maximize=True)].sum(),
            sum(graph[a][b]["weight"] for a, b in matched),
        ):
            assert abs(total - case["sums"][0]) < 1e-6
        cases.append(case)
    return cases


if __name__ == "__main__":
    found = {
        "pagerank": pageranks(),
        "fusion": fusions(),
        "separators": separators(),
        "assignment": assignments(),
        "bm25": streams(),
        "bm25_text": texts(),
        "cohits": cohits(),
        "stems": stems(),
        "matchings": matchings(),
        "hippo": hippo(),
        "fastrp": projections(),
    }
    (HERE / "oracles.json").write_text(json.dumps(found, separators=(",", ":"), ensure_ascii=False) + "\n")
