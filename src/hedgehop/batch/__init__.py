# SPDX-License-Identifier: BSD-3-Clause
"""Many models or images with one recipe, on any executor; can be resumed after any crash."""

from hedgehop.batch.items import Item as Item
from hedgehop.batch.manifest import Manifest as Manifest
from hedgehop.batch.outcomes import Outcome as Outcome
from hedgehop.batch.progress import Status as Status
from hedgehop.batch.progress import read_status as read_status
from hedgehop.batch.recipe import Recipe as Recipe
from hedgehop.batch.runner import Summary as Summary
from hedgehop.batch.runner import run as run
