# SPDX-License-Identifier: BSD-3-Clause
"""``make hunt``: random lists against an enumeration that shares nothing with the library, until time is up."""

from __future__ import annotations

import argparse
import json
import sys
import time

from hunt import arguments, files, flow
from hunt.checks import Round
from hunt.tally import Tally

_LISTS = 0.8  # of the time
_OTHERS = (("cuts", 0.1, flow.hunt), ("files", 0.05, files.hunt), ("calls", 0.05, arguments.hunt))


def main() -> int:
    """Hunt until time is up, or until Ctrl-C; 1 if something was wrong."""
    options, tally = _options(), Tally()
    counts: dict[str, int] = {}
    try:
        if options.only in ("", "lists"):
            _lists(options, tally)
        for name, share, hunt in _OTHERS if not options.rounds else ():
            if options.only in ("", name):
                seconds = options.seconds if options.only else share * options.seconds
                counts[name] = hunt(options.seed, seconds, tally)
    except KeyboardInterrupt:
        print("hunt: interrupted; this is what was checked until then", file=sys.stderr)
    _show(tally, counts, options.json)
    return 1 if tally.faults else 0


def _lists(options: argparse.Namespace, tally: Tally) -> None:
    end, seed = time.monotonic() + (1.0 if options.only else _LISTS) * options.seconds, options.seed
    while time.monotonic() < end and not (options.rounds and tally.rounds >= options.rounds):
        start, known = time.monotonic(), len(tally.faults)
        Round(seed, tally).run()
        if time.monotonic() - start > 20:
            print(f"hunt: SEED={seed} ROUNDS=1 took {time.monotonic() - start:.0f} s", file=sys.stderr)
        for fault in tally.faults[known:]:
            print(f"hunt: {fault.kind} in SEED={seed} ROUNDS=1", file=sys.stderr)
        seed += 1


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m hunt", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0, help="how long")
    parser.add_argument("--seed", type=int, default=1, help="of the first round; each round has its own")
    parser.add_argument("--rounds", type=int, default=0, help="how many rounds of lists at most, and nothing else")
    choices = ["", "lists", *(name for name, _, _ in _OTHERS)]
    parser.add_argument("--only", choices=choices, default="", help="compare lists, cuts, files or invalid calls alone")
    parser.add_argument("--json", action="store_true", help="everything, for machines")
    return parser.parse_args()


def _show(tally: Tally, counts: dict[str, int], as_json: bool) -> None:
    if as_json:
        print(json.dumps(tally.as_json() | counts, indent=1))
        return
    if tally.rounds:
        print(tally.table())
    for fault in tally.faults:
        print(f"fault: {fault.kind}: {fault.text}\n  {fault.where}; make hunt SEED={fault.seed} ROUNDS=1")
    total = tally.total()
    more = "".join(f", {count} {name}" for name, count in counts.items())
    print(
        f"hunt: {tally.rounds} rounds, {total['lists']} lists, {total['steps']} steps, {total['bounds']} bounds, "
        f"{total['exact']} exact claims{more}; {len(tally.faults)} wrong"
    )


if __name__ == "__main__":
    sys.exit(main())
