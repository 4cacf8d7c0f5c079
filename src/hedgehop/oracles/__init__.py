"""How one step is solved: one file an oracle, and the choice among them."""

from hedgehop.oracles.base import Oracle, Step
from hedgehop.oracles.exhaustive import Exhaustive
from hedgehop.oracles.ilp import Ilp
from hedgehop.oracles.registry import Auto, available, get
from hedgehop.oracles.tree import Tree

__all__ = ["Auto", "Exhaustive", "Ilp", "Oracle", "Step", "Tree", "available", "get"]
