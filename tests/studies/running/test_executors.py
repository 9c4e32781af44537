"""Wrong addresses of Dask clusters are refused."""

from __future__ import annotations

import socket
import sys
from pathlib import Path

import pytest

from askwise.studies.running import executors
from askwise.studies.running.run import run_study
from tests.refused import assert_refused
from tests.studies.studies import small

pytest.importorskip("distributed")


@pytest.mark.parametrize(
    "address",
    [
        "nonsense",
        "",
        "tcp://",
        "foo://127.0.0.1:80",
        "127.0.0.1",
        "tcp://127.0.0.1:99999",
        "tcp://127.0.0.1:0",
        "inproc://1/2",
    ],
)
def test_what_is_no_address_is_refused(tmp_path: Path, address: str) -> None:
    assert_refused(
        lambda: run_study(small(), tmp_path, dask=address),
        f"--dask: found {address!r}; expected the address of a Dask scheduler, such as tcp://127.0.0.1:8786",
    )


def test_something_else_that_listens_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(executors, "TIMEOUT", 1)
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"tcp://127.0.0.1:{server.getsockname()[1]}"
        message = "--dask: found {!r}, which does not answer ({}); expected the address of a running Dask scheduler"
        assert_refused(lambda: run_study(small(), tmp_path, dask=address), message.format(address, "it sends nothing"))


def test_without_the_package_it_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    assert_refused(
        lambda: run_study(small(), tmp_path, dask="tcp://127.0.0.1:1"),
        "--dask: found no package 'distributed'; "
        "expected it to be installed: pip install '.[cluster]' in askwise's folder",
    )
