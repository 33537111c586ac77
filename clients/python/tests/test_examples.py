"""The programs of examples/, as they are run; its tests run beside these. So does what the README shows of the console."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"


def test_takes_are_fetched_once(mynah_device, tmp_path):
    take = mynah_device.record(0.2)
    command = [sys.executable, str(EXAMPLES / "fetch_takes.py"), mynah_device.simulator.console, str(tmp_path)]
    first, second = [subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout for _ in range(2)]
    assert take.id in first.decode() and second == b""
    assert (tmp_path / take.id).read_bytes() == take.data()
    failed = subprocess.run([*command[:2], "/nowhere/console", str(tmp_path)], stderr=subprocess.PIPE)
    assert failed.returncode == 1 and failed.stderr.startswith(b"fetch_takes: ")


def test_a_device_is_watched_until_it_ends(mynah_device):
    command = [sys.executable, str(EXAMPLES / "watch.py"), mynah_device.simulator.console, "onTakeStarted"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as watching:
        assert watching.stdout.readline().startswith("Mynah ")
        take = None
        # It subscribes after its first line.
        while take is None:
            mynah_device.record(0.05)
            if _has_said_something(watching):
                take = watching.stdout.readline()
        assert "onTakeStarted" in take and "preRecordedFrames=" in take
        mynah_device.simulator.stop()
        assert watching.wait(20) == 0


def test_the_readmes_example_of_the_console_runs(mynah_device, tmp_path):
    blocks = re.findall(r"^```python\n(.*?)^```$", (EXAMPLES.parent / "README.md").read_text(), re.M | re.S)
    (example,) = [block for block in blocks if "Client.connect" in block]
    mynah_device.record(0.2)
    program = tmp_path / "example.py"
    program.write_text(example.replace("/run/mynah/console", mynah_device.simulator.console))
    ran = subprocess.run([sys.executable, str(program)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert ran.returncode == 0, ran.stderr
    assert "bad-argument" in ran.stdout and "onTakeSaved" in ran.stdout


def _has_said_something(process):
    import select

    return bool(select.select([process.stdout], [], [], 0.2)[0])


def test_the_environment_of_labgrid_is_one():
    pytest.importorskip("labgrid")
    from labgrid import Environment

    environment = Environment(str(EXAMPLES / "labgrid.yaml"))
    assert set(environment.config.get_targets()) == {"desk", "simulated"}
    driver = environment.get_target("desk").get_driver("MynahDriver", activate=False)
    assert driver.console.port == "/dev/ttyUSB0"
