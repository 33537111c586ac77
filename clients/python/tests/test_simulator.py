"""Simulated devices: their life and death, their data, their scripts."""

import threading

import pytest
from mynah_client import Client, ConnectionLost, NoAnswer, SimulatorError, run_script

pytestmark = pytest.mark.mynah(microphone="tone:440", camera="none")


def test_a_device_that_dies_is_told_at_once(mynah_device):
    with mynah_device.client.subscribe("onMark") as marks:
        waiting = threading.Thread(target=lambda: pytest.raises(ConnectionLost, marks.wait, "onMark", 60))
        waiting.start()
        mynah_device.simulator.kill()
        waiting.join(10)
        assert not waiting.is_alive()
    with pytest.raises(ConnectionLost):
        mynah_device.state()


def test_data_outlives_the_device(mynah_simulator, tmp_path):
    first = mynah_simulator(data=tmp_path / "data", camera="none")
    take = first.record(0.3)
    first.simulator.kill()
    second = mynah_simulator(data=tmp_path / "data", camera="none")
    second.expect(takes=1)
    assert second.take(take.id).frames == take.frames
    assert take.id != second.record(0.1).id
    second.close()
    assert (tmp_path / "data/recordings" / take.id).exists()


def test_programs_that_are_no_devices_are_told(tmp_path):
    from mynah_client import Device

    with pytest.raises(SimulatorError, match="no program"):
        Device.simulate(tmp_path / "nothing")
    with pytest.raises(SimulatorError, match="has ended"):
        Device.simulate("/bin/false")


def test_a_socket_with_nobody_behind_it_is_told(tmp_path):
    import socket

    with pytest.raises(ConnectionLost):
        Client.connect(str(tmp_path / "nothing"), timeout=0.1)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "silent"))
        listener.listen()
        with pytest.raises(NoAnswer, match="nothing was heard"):
            Client.connect(str(tmp_path / "silent"), timeout=0.3)


SCRIPT = """
0.5   expect mode dictaphone.idle
6.0   press REC
9.0   mark the question
12.0  press STOP
14.0  expect mode dictaphone.idle
14.0  quit
"""


def test_scripts_run_in_virtual_time(mynah_program, tmp_path):
    run = run_script(SCRIPT, tmp_path, mynah_program, microphone="tone:440")
    assert run.passed and run.failure == ""
    (saved,) = run.of("onTakeSaved")
    # Five seconds before the press, and six after it.
    assert saved["frames"] == 11 * 48_000
    assert run.of("onMark")[0]["number"] == 1


def test_a_line_of_a_script_that_fails_is_told(mynah_program, tmp_path):
    run = run_script("1.0 expect led REC on\n2.0 quit\n", tmp_path, mynah_program)
    assert (run.status, run.passed) == (65, False)
    assert "expected led REC on, it is off" in run.failure


def test_a_script_plays_while_the_console_is_open(mynah_simulator):
    device = mynah_simulator(script="2.0 press REC\n3.0 press STOP\n600 quit\n", camera="none")
    device.expect_event("onTakeSaved", 60)
    assert len(device.takes()) == 1
