# SPDX-License-Identifier: BSD-3-Clause
"""``hedgehop studio`` as a new user meets it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys

import httpx
import pytest
from typer.testing import CliRunner

from hedgehop.cli.app import app
from hedgehop.studio.web.server import address, is_own, listen
from tests.studio.serving import photo


def started(*words):
    command = [sys.executable, "-m", "hedgehop", "studio", "--no-open", "--port", "0", "--json", *map(str, words)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    return process, json.loads(process.stdout.readline())


@pytest.mark.skipif(os.name == "nt", reason="no Ctrl-C to send there")
def test_it_says_where_it_is_and_ends_with_ctrl_c(tmp_path):
    (tmp_path / "a.png").write_bytes(photo())
    process, told = started(tmp_path)
    assert told["images"] == 1
    with httpx.Client(transport=httpx.HTTPTransport(retries=20)) as client:
        assert client.get(told["url"] + "api/about").json()["images"] == ["a.png"]
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=120)
    assert process.returncode == 0, errors
    assert "Traceback" not in errors


def test_other_hosts_need_a_token():
    assert is_own("127.0.0.1")
    assert is_own("::1")
    assert is_own("localhost")
    assert not is_own("0.0.0.0")
    assert not is_own("studio.example")
    assert address("192.0.2.7", 80, "abc") == "http://192.0.2.7:80/?token=abc"
    assert address("::1", 80, None) == "http://[::1]:80/"
    process, told = started("--host", "0.0.0.0")
    process.terminate()
    process.communicate(timeout=120)
    assert len(told["url"].partition("?token=")[2]) > 20


def test_a_port_that_is_taken_is_passed_over():
    first = listen("127.0.0.1", 0)
    first.listen()
    port = first.getsockname()[1]
    second = listen("127.0.0.1", port)
    assert second.getsockname()[1] != port
    first.close()
    second.close()


def test_mistakes_get_sentences(tmp_path):
    def run(*words):
        return CliRunner().invoke(app, ["studio", "--no-open", *map(str, words)])

    done = run(tmp_path)
    assert done.exit_code == 1
    assert "contains no images" in done.stderr
    (tmp_path / "s.npy").write_bytes(b"")
    assert "give the image" in run("--scores", tmp_path / "s.npy").stderr
    assert run(tmp_path / "missing.png").exit_code == 2
