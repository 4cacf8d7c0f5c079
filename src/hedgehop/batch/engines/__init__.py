# SPDX-License-Identifier: BSD-3-Clause
"""What solves chunks of items: processes of this machine, or any executor."""
