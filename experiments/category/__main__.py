# SPDX-License-Identifier: BSD-3-Clause
"""Run with ``python -m experiments.category --data DIR``."""

import argparse

from experiments.category import reproduce


def main():
    parser = argparse.ArgumentParser(description="Reproduce the paper's category segmentation.")
    parser.add_argument("--data", required=True, help="folder with voc2012, camvid, bsds500_val")
    parser.add_argument("--output", default="results/category", help="where results and caches go")
    parser.add_argument("--limit", type=int, help="use this many images of each part only")
    parser.add_argument("--only", action="append", default=[], help="make this row only, and DivMBest; again for more")
    parser.add_argument("--part", action="append", default=[], help="run this part only; again for more")
    options = parser.parse_args()
    print(reproduce(options.data, options.output, options.limit, options.only, options.part))


if __name__ == "__main__":
    main()
