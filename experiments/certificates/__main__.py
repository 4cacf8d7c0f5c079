# SPDX-License-Identifier: BSD-3-Clause
"""Run with ``python -m experiments.certificates --data DIR``."""

import argparse

from experiments.certificates import reproduce


def main():
    parser = argparse.ArgumentParser(description="Measure what is proven about diverse lists.")
    parser.add_argument("--data", required=True, help="folder with voc2012 and grabcut")
    parser.add_argument("--output", default="results/certificates", help="where results go")
    parser.add_argument("--limit", type=int, help="use this many images of each part only")
    parser.add_argument("--part", action="append", help="run this part only; may be repeated")
    parser.add_argument("--only", action="append", help="make rows that begin so only; may be repeated")
    options = parser.parse_args()
    print(reproduce(options.data, options.output, options.limit, options.part, options.only))


if __name__ == "__main__":
    main()
