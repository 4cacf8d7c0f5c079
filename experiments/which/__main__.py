# SPDX-License-Identifier: BSD-3-Clause
"""Run with ``python -m experiments.which --data DIR``."""

import argparse

from experiments.which import reproduce


def main():
    parser = argparse.ArgumentParser(description="Choose one labeling of each list, in every way, and judge it.")
    parser.add_argument("--data", required=True, help="folder with voc2012, camvid, grabcut, conll2000, ud_english_ewt")
    parser.add_argument("--output", default="results/which", help="where results and caches go")
    parser.add_argument("--limit", type=int, help="use this many images or sentences of each part only")
    parser.add_argument("--part", action="append", default=[], help="run only this part; can be repeated")
    options = parser.parse_args()
    print(reproduce(options.data, options.output, options.limit, options.part))


if __name__ == "__main__":
    main()
