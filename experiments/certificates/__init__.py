# SPDX-License-Identifier: BSD-3-Clause
"""What is proven about lists, by steps, by the list dual, and after improving: see README.md beside this file."""

from experiments.certificates.run import reproduce

__all__ = ["reproduce"]
