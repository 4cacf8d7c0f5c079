# SPDX-License-Identifier: BSD-3-Clause
"""Run with ``python -m experiments.strokes --data DIR``."""

import argparse

from experiments.strokes import reproduce


def main():
    parser = argparse.ArgumentParser(description="Train the nets that combine opinions of strokes, and judge them.")
    parser.add_argument("--data", required=True, help="folder with grabcut, voc2012, voc2012_scribbles, bsds500_val")
    parser.add_argument("--output", default="results/strokes", help="where results and caches go")
    parser.add_argument("--images", type=int, help="use this many images of each set only")
    parser.add_argument("--part", action="append", help="train, grabcut or voc; can be repeated")
    parser.add_argument("--only", action="append", help="a word in the name of a player; can be repeated")
    parser.add_argument("--rounds", type=int, default=8, help="most marks in a game")
    parser.add_argument("--judged", type=int, help="judge on this many images of each set; training uses --images")
    options = parser.parse_args()
    some = (options.part, options.only, options.rounds, options.judged)
    print(reproduce(options.data, options.output, options.images, *some))


if __name__ == "__main__":
    main()
