# SPDX-License-Identifier: BSD-3-Clause
"""``hedgehop doctor``: what is installed, and whether it works."""

from __future__ import annotations

import platform
import re
import sys
from importlib.metadata import PackageNotFoundError, requires, version

import numpy as np
import typer

from hedgehop._plugins import GROUPS, plugins
from hedgehop.cli.options import Json, Quiet
from hedgehop.cli.output import Output, command_output
from hedgehop.models import (
    Arborescence,
    Automaton,
    Cfg,
    Chain,
    FactorGraph,
    GraphMatching,
    Grid,
    Matching,
    Model,
    Path,
    SpanningTree,
)
from hedgehop.oracles import Oracle, available, get
from hedgehop.potentials import AgreementGains, Cardinality, LabelWeights
from hedgehop.testing import check_oracle

_REQUIREMENT = re.compile(r"""(?P<name>[\w.-]+)[^;]*?(?:>=(?P<least>[\d.]+))?\s*;.*extra == ["'](?P<extra>\w+)["']""")
_OLD_PYTHON = re.compile(r"""python_version < ["'](\d+)\.(\d+)["']""")
EXTRAS = {
    "cli": "the command hedgehop",
    "segmentation": "photographs and strokes: hh.Segmenter, hh.suggest, hedgehop segment",
    "learning": "hh.learning: structured and transductive SVMs",
    "studio": "a page for drawing strokes: hedgehop studio (with segmentation)",
    "batch": "batches on a Dask cluster, and remote files through fsspec",
    "parquet": "results of batches as Parquet",
    "plot": "pictures: found.plot(), hedgehop show -o, hedgehop demo (with segmentation)",
    "exact": "small and hard models by toulbar2",
    "io": "OpenGM's .h5 files, and label maps as pictures",
    "program": ".mps and .lp files of mixed-integer programs, PuLP and Pyomo: hh.Program",
}


def doctor(json: Json = False, quiet: Quiet = False) -> None:
    """Print versions, extras and oracles, and try every oracle on small models.

    The exit code is 1 if an oracle answers wrongly. Missing extras are not a failure.

    Example: `hedgehop doctor --json`
    """
    with command_output(json, quiet) as out:
        _tell_versions(out)
        _tell_extras(out)
        _tell_plugins(out)
        wrong = _tell_oracles(out)
        if wrong:
            out.fail(f"the self-test failed for {', '.join(wrong)}: reinstall hedgehop, or report this.")
            raise typer.Exit(1)
        out.say("\nself-test: every oracle agrees with enumeration")


def _tell_versions(out: Output) -> None:
    versions = {"hedgehop": version("hedgehop"), "python": platform.python_version(), "platform": platform.platform()}
    versions |= {name: version(name) for name in ("numpy", "scipy")}
    out.say("\n".join(f"{name:<14} {found}" for name, found in versions.items()), versions=versions)


def _tell_extras(out: Output) -> None:
    """Say what each extra gives, whether it is there, and how to install it."""
    packages, wanting = _packages_of_extras(), []
    versions = {extra: {name: _version(name) for name in packages[extra]} for extra in EXTRAS}
    out.say("\nextras", extras=versions)
    for extra, gives in EXTRAS.items():
        problems = [text for name, least in packages[extra].items() if (text := _problem(name, least))]
        wanting += [extra] if problems else []
        out.say(f"  {extra:<14} {', '.join(problems) or 'installed':<40} {gives}")
    if wanting:
        out.say(f"  to install what is missing: pip install 'hedgehop[{','.join(wanting)}]'", missing=wanting)


def _tell_plugins(out: Output) -> None:
    """Say what other packages add."""
    found = {group: sorted(plugins(group)) for group in GROUPS}
    out.say("\nplug-ins", plugins=found)
    for group, names in found.items():
        if names:
            out.say(f"  {group:<14} {', '.join(names)}")
    if not any(found.values()):
        out.say("  none; examples/plugin shows how a package adds models, diversities, formats and more")


def _packages_of_extras() -> dict[str, dict[str, str]]:
    """Packages of each extra and the oldest version that will do, as the installed hedgehop declares them."""
    packages: dict[str, dict[str, str]] = {extra: {} for extra in EXTRAS}
    for line in requires("hedgehop") or []:
        found, old = _REQUIREMENT.match(line), _OLD_PYTHON.search(line)
        if old and sys.version_info >= (int(old[1]), int(old[2])):
            continue  # only older Pythons need it
        if found and found["extra"] in EXTRAS:
            packages[found["extra"]][found["name"]] = found["least"] or "0"
    return packages


def _problem(package: str, least: str) -> str:
    found = _version(package)
    if found is None:
        return f"{package} is missing"
    return f"{package} {found} is older than {least}" if _numbers(found) < _numbers(least) else ""


def _numbers(version: str) -> list[int]:
    return [int(part) for part in re.findall(r"\d+", version.partition("+")[0])]


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _tell_oracles(out: Output) -> list[str]:
    """List the oracles and try them; return those that are wrong."""
    verdicts = {name: _verdict(get(name)) for name in available()}
    out.say("\noracles", oracles=verdicts)
    for name, summary in available().items():
        out.say(f"  {name:<14} {verdicts[name]:<8} {summary}")
    return [name for name, verdict in verdicts.items() if verdict not in ("ok", "untried")]


def _verdict(oracle: Oracle) -> str:
    """Compare an oracle with enumeration on every small model that it can solve, plain and with a potential."""
    more = (_distance, _agreement, _labels)
    tries = [(model, terms) for model in _small_models() for terms in ((), *((make(model),) for make in more))]
    able = [(model, terms) for model, terms in tries if oracle.refusal(model, terms) is None]
    try:
        for model, terms in able:
            check_oracle(oracle, model, terms)
    except Exception as error:  # any error of an oracle is a finding, not a crash
        return f"WRONG: {error}"
    return "ok" if able else "untried"


def _distance(model: Model) -> Cardinality:
    """Reward labelings for being far from the one that is all 0."""
    n = model.n_variables
    return Cardinality(np.zeros(n, np.int32), np.sqrt(np.arange(n + 1.0)))


def _agreement(model: Model) -> AgreementGains:
    """Reward labelings for agreeing with two constant ones."""
    samples = np.array([[0] * model.n_variables, [1] * model.n_variables], np.int32)
    return AgreementGains(samples, np.array([0.5, 0.2]), np.ones(model.n_variables))


def _labels(model: Model) -> LabelWeights:
    """Reward some used labels, let others cost."""
    return LabelWeights(np.cos(np.arange(int(model.label_counts.max()))))


def _small_models() -> list[Model]:
    """Return one small model of every structure, with scores that have no ties."""
    scores = np.sin(np.arange(1.0, 28.0))
    return [
        Chain(scores[:12].reshape(4, 3), scores[:9].reshape(3, 3)),
        Grid(scores[:12].reshape(2, 3, 2), smoothness=0.3),
        Grid(scores[:18].reshape(2, 3, 3), smoothness=0.3),
        FactorGraph(scores[:6].reshape(3, 2), [[0, 1], [1, 2], [0, 2]], scores[:12].reshape(3, 2, 2)),
        SpanningTree([[0, 1], [1, 2], [2, 3], [3, 0], [0, 2]], scores[:5]),
        GraphMatching([[0, 1], [1, 2], [2, 3], [3, 0], [0, 2]], scores[:5]),
        Path([[0, 1], [1, 2], [2, 3], [3, 0], [0, 2]], abs(scores[:5]), 0, 3),
        Matching(scores[:9].reshape(3, 3)),
        Arborescence(scores[:16].reshape(4, 4)),
        Automaton([(0, 1, 0), (0, 1, 1), (1, 2, 0), (1, 2, 2), (2, 3, 1)], scores[:5], [2, 3]),
        Cfg(scores[:6].reshape(3, 2), [(0, 0, 0), (0, 0, 1), (1, 0, 1)], scores[:3]),
    ]
