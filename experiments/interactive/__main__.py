# SPDX-License-Identifier: BSD-3-Clause
"""Run with ``python -m experiments.interactive --data DIR``."""

import argparse

from experiments.interactive import reproduce


def main():
    parser = argparse.ArgumentParser(description="Reproduce the paper's interactive segmentation.")
    parser.add_argument("--data", required=True, help="folder with grabcut, voc2012, coopcuts16, divmbest_voctest50")
    parser.add_argument("--output", default="results/interactive", help="where results and caches go")
    parser.add_argument("--limit", type=int, help="use this many images of each part only")
    parser.add_argument("--part", action="append", help="table or robot; can be repeated")
    parser.add_argument("--only", action="append", help="a word in the name of a player of the robot; can be repeated")
    options = parser.parse_args()
    print(reproduce(options.data, options.output, options.limit, options.part or (), options.only))


if __name__ == "__main__":
    main()
