# SPDX-License-Identifier: BSD-3-Clause
"""The studio as a web server: who may come in, what can be asked for, the page."""
