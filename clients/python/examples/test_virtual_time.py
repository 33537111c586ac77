"""A script in virtual time: the clock of the simulated device moves on as fast as the work is done."""

from mynah_client import run_script

SCRIPT = """
0.5    expect mode dictaphone.idle
10     press REC
30     fault microphone overrun 0.3
60     press STOP
65     expect mode dictaphone.idle
65     expect takes 1
66     quit
"""


def test_a_minute_with_a_gap(mynah_program, tmp_path):
    run = run_script(SCRIPT, tmp_path, mynah_program, microphone="silence", camera="none")
    assert run.passed, run.failure
    (gap,) = run.of("onGap")
    assert gap["reason"] == "overrun" and gap["frames"] == 0.3 * 48_000
    (saved,) = run.of("onTakeSaved")
    # Five seconds before the press, and what was lost is there as silence.
    assert saved["frames"] == (50 + 5) * 48_000
    assert (tmp_path / saved["path"]).exists()
