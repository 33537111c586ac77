"""Mynah in labgrid: environment files, its pytest plug-in, its own target; a serial port of labgrid's, too."""

import socket
import threading

import pytest

pytest.importorskip("labgrid")

from mynah_client import Simulator  # noqa: E402

ENVIRONMENT = """
imports: [mynah_client.labgrid]
targets:
  simulated:
    resources:
      MynahSimulator: {{program: {program}, options: {{camera: none, microphone: "tone:440"}}}}
    drivers:
      MynahDriver: {{}}
  console:
    resources:
      MynahConsole: {{address: {console}}}
    drivers:
      MynahDriver: {{timeout: 15}}
  serial:
    resources:
      RawSerialPort: {{port: {serial}}}
    drivers:
      MynahDriver: {{}}
  network:
    resources:
      NetworkSerialPort: {{host: 127.0.0.1, port: {port}, protocol: raw}}
    drivers:
      MynahDriver: {{}}
"""

TESTS = """
    import pytest

    @pytest.mark.parametrize("name", ["simulated", "console", "serial", "network"])
    def test_it_records(env, name):
        mynah = env.get_target(name).get_driver("MynahDriver")
        mynah.press("REC")
        mynah.expect("dictaphone.recording", leds={"REC": "on"})
        mynah.press("STOP")
        saved = mynah.expect_event("onTakeSaved")
        assert mynah.takes()[0].id == saved.data["id"]
        assert mynah.call("panel.state")["takes"] == len(mynah.takes())
        assert mynah.screen().width == 128
        assert mynah.record(0.2).seconds >= 0.2
        assert mynah.simulator is None or name == "simulated"
"""


@pytest.fixture
def bridge():
    """A TCP port in front of a socket, as labgrid's exporter has one in front of a serial line."""
    listener = socket.create_server(("127.0.0.1", 0))
    targets = []

    def pump(source, target):
        try:
            while data := source.recv(4096):
                target.sendall(data)
            target.shutdown(socket.SHUT_WR)
        except OSError:
            pass  # One of them is gone.

    def serve():
        here, _ = listener.accept()
        there = socket.socket(socket.AF_UNIX)
        there.connect(targets[0])
        for pair in ((here, there), (there, here)):
            threading.Thread(target=pump, args=pair, daemon=True).start()

    threading.Thread(target=serve, daemon=True).start()
    yield listener.getsockname()[1], targets
    listener.close()


def test_an_environment_has_devices_of_every_kind(pytester, mynah_program, cable, bridge):
    port, targets = bridge
    with Simulator(mynah_program, camera="none") as one, Simulator(mynah_program, console=cable.device) as two:
        one.connect().close()
        targets.append(one.console)
        members = {"program": mynah_program, "console": one.console, "serial": cable.host, "port": port}
        (pytester.path / "env.yaml").write_text(ENVIRONMENT.format(**members))
        pytester.makepyfile(TESTS)
        pytester.runpytest_subprocess("--lg-env", "env.yaml").assert_outcomes(passed=4)
        assert one.is_running and two.is_running


def test_a_driver_that_is_not_active_says_so(mynah_program):
    from labgrid import Target
    from labgrid.binding import StateError
    from mynah_client.labgrid import MynahDriver, MynahSimulator

    target = Target("main")
    MynahSimulator(target, name=None, program=mynah_program, options={"camera": "none"})
    driver = MynahDriver(target, name=None)
    with pytest.raises(StateError):
        driver.press("REC")
    target.activate(driver)
    simulator = driver.simulator
    driver.press("REC")
    target.deactivate(driver)
    assert not simulator.is_running
    target.activate(driver)
    assert driver.takes() == []
    target.deactivate(driver)
