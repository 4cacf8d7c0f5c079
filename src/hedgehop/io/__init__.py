"""Files: one module a format."""

from hedgehop.io.files import read, write
from hedgehop.io.uai import read_labeling, write_labeling

__all__ = ["read", "read_labeling", "write", "write_labeling"]
