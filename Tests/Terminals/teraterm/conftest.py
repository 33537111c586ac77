"""Fixtures: a device in the simulator at the end of a serial line, and Tera Term at the other."""

import hashlib
import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
CLIENT = ROOT / "clients/python/tests"
sys.path[:0] = [str(Path(__file__).parent), str(CLIENT)]

from teraterm import Screen, TeraTerm  # noqa: E402
from test_terminals import board, card  # noqa: E402, F401

_spec = importlib.util.spec_from_file_location("client_conftest", CLIENT / "conftest.py")
_client = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(_client)
cable = _client.cable


def pytest_addoption(parser):
    parser.addoption("--teraterm", metavar="FOLDER", help="where ttermpro.exe and ttpmacro.exe are")
    parser.addoption("--pictures", metavar="FOLDER", help="keep pictures of the window there")


@pytest.fixture(scope="session")
def wine():
    """The environment of a Windows of Wine's, made once for each version of it."""
    version = subprocess.run(["wine", "--version"], capture_output=True, text=True, check=True).stdout
    key = hashlib.sha256(version.encode()).hexdigest()[:12]
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    prefix = cache / "mynah" / f"wine-{key}"
    screen = Screen()
    environment = {**os.environ, "WINEPREFIX": str(prefix), "WINEARCH": "win64", "WINEDEBUG": "-all"}
    environment |= {"DISPLAY": screen.name, "WINEDLLOVERRIDES": "mscoree=;mshtml=;winemenubuilder.exe=", "LANG": "C.UTF-8"}
    if not (prefix / "ready").exists():
        shutil.rmtree(prefix, ignore_errors=True)
        prefix.mkdir(parents=True)
        subprocess.run(["wine", "wineboot", "--init"], env=environment, check=True, capture_output=True)
        (prefix / "ready").touch()
    yield environment
    subprocess.run(["wineserver", "--kill"], env=environment, check=False)
    screen.close()


@pytest.fixture
def start(request, pytestconfig, wine, cable, board, tmp_path):
    """Starts Tera Term; the keywords are settings of its."""
    started = []

    def start(**settings):
        folder = tmp_path / f"teraterm-{len(started)}"
        folder.mkdir()
        terminal = TeraTerm(Path(pytestconfig.getoption("--teraterm")).resolve(), wine, cable.host, folder, **settings)
        started.append(terminal)
        return terminal

    yield start
    pictures = pytestconfig.getoption("--pictures")
    for number, terminal in enumerate(started):
        if pictures and number == len(started) - 1:
            name = "".join(letter if letter.isalnum() else "-" for letter in request.node.name)
            terminal.picture(Path(pictures) / f"{name}.png")
        terminal.close()


@pytest.fixture
def terminal(start):
    return start()
