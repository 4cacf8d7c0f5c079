# SPDX-License-Identifier: BSD-3-Clause
"""Many models or images, one recipe: on any executor, resumable after any crash."""

from hedgehop.batch.items import Item
from hedgehop.batch.manifest import Manifest
from hedgehop.batch.outcomes import Outcome
from hedgehop.batch.recipe import Recipe
from hedgehop.batch.runner import Summary, run

__all__ = ["Item", "Manifest", "Outcome", "Recipe", "Summary", "run"]
