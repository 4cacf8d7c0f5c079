# SPDX-License-Identifier: BSD-3-Clause
"""One search of toulbar2 in a separate process: a network on stdin, the answer as JSON on the last line of stdout.

It knows nothing of hedgehop, so that it starts fast; a crash of the solver costs a process, not a session.
"""

from __future__ import annotations

import io
import json
import sys
from typing import Any


def solved(network: dict[str, Any]) -> dict[str, Any]:
    """Return the best labels found (None if there are none), the smallest cost proven, and the number of backtracks."""
    import pytoulbar2

    cfn = pytoulbar2.CFN(verbose=-1)
    for i, count in enumerate(network["label_counts"].tolist()):
        cfn.AddVariable(f"x{i}", range(count))
    variables, starts = network["variables"].tolist(), network["starts"].tolist()
    cells = network["cells"].tolist()
    for f, start in enumerate(starts[:-1]):
        cfn.AddFunction(variables[start : starts[f + 1]], network["costs"][cells[f] : cells[f + 1]].tolist())
    cfn.Option.backtrackLimit = int(network["backtracks"])
    cfn.Solve(timeLimit=int(network["seconds"]))
    found = cfn.GetSolutions()
    labels = list(found[-1][1]) if found else None
    return {"labels": labels, "bound": float(cfn.GetDDualBound()), "backtracks": int(cfn.GetNbBacktracks())}


if __name__ == "__main__":
    sys.path.pop(0)  # this folder: its modules must not hide others of the same name
    import numpy as np

    print(json.dumps(solved(dict(np.load(io.BytesIO(sys.stdin.buffer.read()), allow_pickle=False)))))
