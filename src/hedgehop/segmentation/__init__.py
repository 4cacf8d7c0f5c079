"""Interactive segmentation: from an image and a few strokes to candidates worth choosing from."""

from hedgehop.segmentation.robot import robot_scribbles
from hedgehop.segmentation.scribbles import from_colors
from hedgehop.segmentation.segmenter import Segmenter
from hedgehop.segmentation.suggestions import Suggestions

__all__ = ["Segmenter", "Suggestions", "from_colors", "robot_scribbles"]
