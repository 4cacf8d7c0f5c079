# SPDX-License-Identifier: BSD-3-Clause
"""
Plans
=====

Five ways to protect every species in three cells of a map: a pool of the best plans, and a diverse list. The darker a
cell, the more of the five plans need it. A pool excludes each plan that was found (a "no-good cut") and solves again.
Its plans are the best ones, but nearly the same. The table compares both on four small mixed-integer programs: in what
share of the chosen columns two plans differ, and how much of the objective is lost, on average over five plans.
"""

import time

import numpy as np
from matplotlib.figure import Figure

import hedgehop as hh

random = np.random.default_rng(2)


def knapsack(n=60):
    """Choose projects within a budget."""
    weights = random.integers(10, 60, n)
    return hh.Program(
        weights + random.integers(0, 20, n), constraints=(weights[None], 0, weights.sum() / 3), maximize=True
    )


def facilities(sites=12, customers=20):
    """Open sites and serve every customer from an open one: sites are labels, services are completed."""
    at, of = random.random((sites, 2)), random.random((customers, 2))
    far = np.linalg.norm(at[:, None] - of, axis=2)
    costs = np.concatenate([np.full(sites, 1.0), far.ravel()])
    served = np.hstack([np.zeros((customers, sites)), np.tile(np.eye(customers), sites)])
    opened = np.hstack([-np.repeat(np.eye(sites), customers, axis=0), np.eye(sites * customers)])
    whole = np.repeat([1, 0], [sites, sites * customers])
    return hh.Program(costs, whole, (0.0, 1.0), [(served, 1, 1), (opened, -np.inf, 0)])


def schedule(jobs=10, machines=4):
    """Assign jobs to machines; the last machine to finish decides, and every assignment costs something."""
    times, costs = random.integers(2, 9, jobs), random.random((jobs, machines))
    once = np.hstack([np.kron(np.eye(jobs), np.ones(machines)), np.zeros((jobs, 1))])
    loads = np.hstack([np.kron(times, np.eye(machines)), -np.ones((machines, 1))])
    whole, high = np.repeat([1, 0], [jobs * machines, 1]), np.append(np.ones(jobs * machines), 99.0)
    return hh.Program(
        np.append(costs.ravel(), 1.0), whole, (np.zeros(high.size), high), [(once, 1, 1), (loads, -np.inf, 0)]
    )


def reserve(side=12, species=12):
    """Protect cells of a map so that every species is found in three of them."""
    lives = random.random((species, side * side)) < 0.12
    prices = 1 + random.random(side * side)
    return hh.Program(prices, constraints=(lives.astype(float), 3, np.inf))


rows, maps = [], {}
for problem in (knapsack, facilities, schedule, reserve):
    model = problem()
    best = hh.best(model)
    scale = abs(best.relevance) / max(1, int((best.labeling != 0).sum()))  # what a chosen column is worth
    for name, tradeoff in (("pool", 0.0), ("hedgehop", 0.8 * scale)):
        start = time.process_time()
        found = hh.diverse(model, hh.UseCoverage(), m=5, tradeoff=tradeoff, distinct=True, certify=False)
        seconds = time.process_time() - start
        different = found.distances[np.triu_indices(5, 1)].mean() / (2 * (found.labelings != 0).sum(axis=1).mean())
        loss = 1 - found.relevance.mean() / best.relevance
        rows.append((problem.__name__, name, different, abs(loss), seconds, int(found.exact.sum())))
        maps[name] = found.labelings

print(f"{'problem':10} {'list':8} different columns  objective lost  CPU seconds  steps proven")
for problem_name, name, different, loss, seconds, proven in rows:
    print(f"{problem_name:10} {name:8} {different:17.0%} {loss:15.1%} {seconds:12.1f} {proven:8} of 5")

figure = Figure(figsize=(9, 4.2), layout="constrained")
for row, (name, plans) in zip(figure.subplots(2, 5), maps.items(), strict=True):
    used = plans.sum(axis=0)
    for k, (axis, plan) in enumerate(zip(row, plans, strict=True)):
        shared = np.where(plan == 0, 0.0, used)  # the darker, the more plans protect this cell
        axis.imshow(shared.reshape(12, 12), cmap="Greens", vmin=0, vmax=5)
        axis.set_title(f"{name} {k + 1}", fontsize=9)
        axis.set_xticks([])
        axis.set_yticks([])
figure.savefig("plans.png", dpi=110)
figure  # a notebook shows it
