# SPDX-License-Identifier: BSD-3-Clause
"""One browser for all tests of the page."""

from __future__ import annotations

import pytest

from tests.studio import browsing


@pytest.fixture(scope="session")
def browser():
    assert not browsing.REASON, browsing.REASON
    browsing.expect.set_options(timeout=browsing.PATIENCE)
    with browsing.sync_playwright() as playwright:
        # A test runner is often root, in a container, where Chromium's own sandbox does not work.
        running = playwright.chromium.launch(executable_path=browsing.BROWSER, args=["--no-sandbox"])
        yield running
        running.close()
