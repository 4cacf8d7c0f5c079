# SPDX-License-Identifier: BSD-3-Clause
"""``python -m hedgehop``: the command line."""

from hedgehop.cli import main

if __name__ == "__main__":  # processes of a batch import this file again
    main()
