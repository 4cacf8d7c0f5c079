"""Many models, one recipe: on any executor, resumable after any crash."""

from hedgehop.batch.ledger import Outcome
from hedgehop.batch.recipe import Recipe
from hedgehop.batch.runner import Summary, run

__all__ = ["Outcome", "Recipe", "Summary", "run"]
