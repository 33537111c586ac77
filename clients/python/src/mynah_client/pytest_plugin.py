"""Fixtures for pytest: a device, simulated or real, by what the command line says.

    pytest --mynah-program PATH            a simulated device for each test
    pytest --mynah-console /dev/ttyUSB0    one that runs already: a board's serial line, a rig's socket, tcp:HOST:PORT
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Callable, Dict, Generator, Iterator, List, Optional

import pytest

from .device import Device
from .errors import MynahError, SimulatorError
from .lines import DEFAULT_BAUD
from .simulator import find_program

_MARKER = "mynah(**options): options of the simulated device, such as microphone='tone:440'; a real one is left out"
_DEVICES = pytest.StashKey[List[Device]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("mynah", "a Mynah device")
    group.addoption("--mynah-program", metavar="PROGRAM", help="simulate devices with it; $MYNAH, or mynah on the PATH")
    group.addoption("--mynah-console", metavar="ADDRESS", help="a device that runs: socket, serial line, tcp:HOST:PORT")
    group.addoption("--mynah-baud", type=int, default=DEFAULT_BAUD, metavar="RATE", help="of a serial line")
    group.addoption("--mynah-timeout", type=float, default=10.0, metavar="SECONDS", help="what expectations wait")
    group.addoption("--mynah-artifacts", metavar="DIR", help="keep the screen and the log of tests that fail in DIR")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", _MARKER)


@pytest.fixture(scope="session")
def mynah_program(pytestconfig: pytest.Config) -> str:
    """The path of the program that simulates devices; tests without one are skipped."""
    wanted = pytestconfig.getoption("--mynah-program")
    try:
        return find_program(wanted)
    except SimulatorError as error:
        if wanted:
            raise pytest.UsageError(str(error)) from error
        pytest.skip(f"{error}; or give --mynah-program or --mynah-console")


@pytest.fixture
def mynah_simulator(
    request: pytest.FixtureRequest, pytestconfig: pytest.Config
) -> Iterator[Callable[..., Device]]:
    """Starts simulated devices: `mynah_simulator(microphone="tone:440")`. They end with the test."""
    program: str = request.getfixturevalue("mynah_program")
    devices: List[Device] = []

    def start(**options: Any) -> Device:
        device = Device.simulate(program, pytestconfig.getoption("--mynah-timeout"), **options)
        devices.append(device)
        request.node.stash.setdefault(_DEVICES, []).append(device)
        return device

    yield start
    for device in reversed(devices):
        device.close()


@pytest.fixture
def mynah_device(request: pytest.FixtureRequest, pytestconfig: pytest.Config) -> Iterator[Device]:
    """The device under test, at rest.

    With `--mynah-console` the one that runs there: brought to rest before each test, its settings as before after it.
    Else a simulated one for this test alone.
    """
    options = _options(request.node)
    address = pytestconfig.getoption("--mynah-console")
    if not address:
        yield request.getfixturevalue("mynah_simulator")(**options)
        return
    if options:
        pytest.skip("it needs a simulated device of its own")
    device = Device.attach(address, pytestconfig.getoption("--mynah-baud"), pytestconfig.getoption("--mynah-timeout"))
    request.node.stash.setdefault(_DEVICES, []).append(device)
    try:
        device.rest()
        settings = device.client.settings.get()
        yield device
        now = device.client.settings.get()
        changed = {key: value for key, value in settings.items() if now.get(key) != value}
        if changed:
            device.set(changed)
    finally:
        device.close()


def _options(node: pytest.Item) -> Dict[str, Any]:
    options: Dict[str, Any] = {}
    for marker in reversed(list(node.iter_markers("mynah"))):
        options.update(marker.kwargs)
    return options


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: "pytest.CallInfo[None]") -> Generator[None, Any, None]:
    """Has the device's screen, its last events and its log in the report of a test that fails."""
    outcome = yield
    report = outcome.get_result()
    if report.when != "call" or not report.failed:
        return
    for device in item.stash.get(_DEVICES, []):
        report.sections += _sections(device, _folder(item))


def _folder(item: pytest.Item) -> Optional[Path]:
    artifacts = item.config.getoption("--mynah-artifacts")
    if not artifacts:
        return None
    folder = Path(artifacts) / re.sub(r"[^\w.-]+", "_", item.nodeid)
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _sections(device: Device, folder: Optional[Path]) -> List[Any]:
    sections = [("Mynah's last events", "\n".join(str(event) for event in device.events.pending()[-10:]))]
    try:
        screen = device.screen()
        lines = device.client.log.tail(lines=30)["lines"]
    except MynahError as error:
        said = device.simulator.log[-2000:] if device.simulator else ""
        return [*sections, ("Mynah does not answer", f"{error}\n{said}")]
    log = "\n".join(f"{line['t']:.3f} {line['level']} {line['subsystem']}: {line['text']}" for line in lines)
    if folder is not None:
        screen.save(folder / "screen.png")
        (folder / "log.txt").write_text(log + "\n")
    return [*sections, (f"Mynah's screen: {screen.name}", screen.art()), ("Mynah's log", log)]
