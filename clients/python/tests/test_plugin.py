"""The fixtures as a customer's test suite has them: its own folder, its own run of pytest."""

import pytest
from mynah_client import Simulator


@pytest.fixture
def suite(pytester, monkeypatch):
    """A customer's tests, in a folder of their own."""
    monkeypatch.delenv("MYNAH", raising=False)
    monkeypatch.setenv("PATH", "/usr/bin:/bin")

    def run(source, *arguments):
        pytester.makepyfile(source)
        # Another plug-in, whose import takes seconds.
        return pytester.runpytest_subprocess("-p", "no:labgrid", *arguments)

    return run


RECORDS = """
    def test_rec_records(mynah_device):
        mynah_device.press("REC")
        mynah_device.expect(mode="dictaphone.recording")
        mynah_device.press("STOP")
        mynah_device.expect_event("onTakeSaved")
"""


def test_each_test_has_a_simulated_device_of_its_own(suite, mynah_program):
    source = RECORDS + """
    import pytest

    def test_nothing_is_left_of_the_one_before(mynah_device):
        assert mynah_device.takes() == []

    @pytest.mark.mynah(microphone="tone:1000")
    def test_it_has_options(mynah_device):
        mynah_device.set({"recording.format": "wav"})
        assert mynah_device.record(0.3).samples().tone_db(1000) > -20

    def test_one_has_several(mynah_simulator):
        one, two = mynah_simulator(camera="none"), mynah_simulator(camera="none")
        one.record(0.1)
        assert (len(one.takes()), len(two.takes())) == (1, 0)
    """
    suite(source, "--mynah-program", mynah_program, "--strict-markers").assert_outcomes(passed=4)


@pytest.mark.parametrize("kind", ["socket", "serial"])
def test_a_device_that_runs_is_used_as_it_is_and_left_as_it_was(suite, mynah_program, cable, kind):
    source = RECORDS + """
    import pytest

    def test_it_changes_settings_and_leaves_it_recording(mynah_device):
        mynah_device.set({"recording.format": "flac"})
        mynah_device.press("REC")

    def test_it_is_at_rest(mynah_device):
        assert mynah_device.mode == "dictaphone.idle"
        assert mynah_device.setting("recording.format") == "wav"

    @pytest.mark.mynah(microphone="silence")
    def test_it_wants_a_device_of_its_own(mynah_device):
        pass
    """
    with Simulator(mynah_program, console=cable.device if kind == "serial" else None, camera="none") as simulator:
        with simulator.connect() if kind == "socket" else _client(cable) as client:
            client.settings.set({"recording.format": "wav"})
        address = cable.host if kind == "serial" else simulator.console
        suite(source, "--mynah-console", address).assert_outcomes(passed=3, skipped=1)
        assert simulator.is_running


def _client(cable):
    from mynah_client import Client

    return Client.connect(cable.host)


def test_the_report_of_a_failure_shows_the_device(suite, mynah_program, pytester):
    source = """
    def test_it_fails(mynah_device):
        mynah_device.expect(mode="clips.buffering", timeout=0.2)
    """
    result = suite(source, "--mynah-program", mynah_program, "--mynah-artifacts", "kept")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        ["*expected mode 'clips.buffering', it is 'dictaphone.idle'*", "*Mynah's screen: idle*", "*Mynah's log*"]
    )
    (folder,) = (pytester.path / "kept").iterdir()
    assert (folder / "screen.png").read_bytes().startswith(b"\x89PNG")
    assert "starts" in (folder / "log.txt").read_text()


def test_the_report_of_a_device_that_died_says_so(suite, mynah_program):
    source = """
    def test_it_dies(mynah_device):
        mynah_device.simulator.kill()
        mynah_device.state()
    """
    result = suite(source, "--mynah-program", mynah_program)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*Mynah does not answer*"])


def test_without_a_program_tests_are_skipped_and_say_why(suite):
    result = suite(RECORDS, "-rs")
    result.assert_outcomes(skipped=1)
    result.stdout.fnmatch_lines(["*there is no program mynah*--mynah-program*"])
    suite(RECORDS, "--mynah-program", "/nowhere/mynah").assert_outcomes(errors=1)
