"""``python -m hedgehop``: the command line."""

from hedgehop.cli import main

main()
