"""What a person does with Tera Term at the end of a serial line."""

import filecmp
import os
import re
import shutil
import time

import pytest
from teraterm import PATIENCE
from test_terminals import LISTED


def smallest(board):
    return min((board.data / "recordings").glob("*.m4a"))


def test_lines_are_typed_edited_completed_and_called_back(start):
    # Its Delete sends what others send for Backspace, unless it is told not to.
    terminal = start(DeleteKey="off")
    print("Tera Term", terminal.ask("getver said"))
    assert "dictaphone.idle" in terminal.command("status")
    terminal.type("settings recording.for")
    terminal.key("Tab")
    terminal.expect("recording.format")
    terminal.key("Return")
    assert "aac" in terminal.expect("mynah> ")
    terminal.type("versoin")
    terminal.key("BackSpace", "BackSpace", "BackSpace")
    terminal.type("ion")
    terminal.key("Return")
    assert "board" in terminal.expect("mynah> ")
    terminal.key("Up", "Up", "Return")
    assert "aac" in terminal.expect("mynah> ")
    # "tatxsuq" becomes "status".
    terminal.type("tatxsuq")
    terminal.key("Home")
    terminal.type("s")
    terminal.key("End", "BackSpace", "Left", "Left", "Left", "Delete", "Right", "Left", "Delete")
    terminal.type("u")
    terminal.key("Right", "BackSpace")
    terminal.type("s")
    terminal.shows(lambda screen: screen[-1:] == ["mynah> status"])
    terminal.key("Return")
    assert "dictaphone.idle" in terminal.expect("mynah> ")
    terminal.type("nothing of this")
    terminal.key("ctrl+c")
    terminal.expect("^C")
    terminal.expect("mynah> ")


def test_its_delete_key_as_delivered_is_a_backspace(terminal):
    terminal.type("statusx")
    terminal.key("Delete", "Return")
    assert "dictaphone.idle" in terminal.expect("mynah> ")


def test_names_in_russian_are_typed_shown_and_edited(terminal):
    # While all notes are read, after a start without a catalogue, the list may miss a name.
    deadline = time.monotonic() + PATIENCE
    while "Интервью с Ёжиком" not in terminal.command("list"):
        assert time.monotonic() < deadline
        assert "name  Интервью с Ёжиком" in terminal.command("rename last Интервью с Ёжиком")
    screen = terminal.shows(lambda screen: screen[-1:] == ["mynah>"])
    second, first = [line for line in screen if line.startswith("00000")][-2:]
    assert second.index(" Интервью с Ёжиком") == first.index(" Take 1")
    terminal.send("find Ёжикл")
    terminal.key("BackSpace", "Return")
    assert "1 to 1 of 1" in terminal.expect("mynah> ")


def test_a_watched_command_stays_at_the_top(terminal):
    terminal.send("watch status'#13'")
    for _ in range(3):
        terminal.expect("time left")
    terminal.shows(lambda screen: len(screen) > 4 and screen[0].startswith("every 2 s: status"))
    terminal.key("space")
    terminal.expect("mynah> ")


def test_a_listing_of_ten_thousand_lines_stops_and_is_ended(terminal):
    terminal.send("marks 1'#13'")
    first = terminal.expect("--More-- (")
    assert "mark-20." in first and "mark-23." not in first
    screen = terminal.shows(lambda screen: screen and screen[-1].startswith("--More-- ("))
    # Nothing of it has scrolled away.
    assert len(screen) == 24 and screen[0].split() == ["at", "title", "note"]
    terminal.key("space")
    assert "mark-40." in terminal.expect("--More-- (")
    terminal.key("q")
    terminal.expect("mynah> ")
    assert "dictaphone.idle" in terminal.command("status")


def test_one_that_does_not_stop_is_interrupted(terminal):
    terminal.command("page 0")
    terminal.send("marks 1'#13'")
    terminal.expect("mark-50.")
    began = time.monotonic()
    terminal.key("ctrl+c")
    shown = terminal.expect("^C")
    # All of it would be twenty seconds of the line.
    assert time.monotonic() - began < 8
    assert f"mark-{LISTED - 1}." not in shown
    terminal.expect("mynah> ")
    assert "dictaphone.idle" in terminal.command("status")


def test_what_is_typed_while_output_runs_is_not_lost(terminal):
    terminal.command("page 0")
    terminal.send("marks 2'#13'")
    terminal.expect("mark-9.")
    for line in ["version", "settings recording.format", "status"]:
        terminal.type(line)
        terminal.key("Return")
    terminal.type("who")
    shown = terminal.expect("mark-999.")
    assert re.findall(r"mark-(\d+)\.", shown) == [str(number) for number in range(10, 1000)]
    for answer in ["board ", "aac", "dictaphone.idle", "mynah> who"]:
        terminal.expect(answer)


def test_a_take_is_fetched_bit_by_bit_while_another_is_recorded(terminal, board):
    take = smallest(board)
    terminal.command("rec")
    assert filecmp.cmp(terminal.fetch(take.name), take, shallow=False)
    assert "dictaphone.recording" in terminal.command("status")
    terminal.command("stop")
    assert "to 3 of 3" in terminal.command("list")


def test_it_fetches_by_itself_if_it_is_set_to(start, board):
    terminal = start(ZmodemAuto="on")
    take = smallest(board)
    terminal.send(f"send {take.name}'#13'")
    terminal.expect("1 file sent")
    terminal.expect("mynah> ")
    assert filecmp.cmp(terminal.here / take.name, take, shallow=False)


def test_what_is_cancelled_gives_the_prompt_back_and_comes_whole_the_next_time(start, board):
    """Tera Term goes on with nothing: it begins anew, beside what it has."""
    terminal = start(ZmodemAuto="on")
    take = smallest(board)
    terminal.send(f"send {take.name}'#13'")
    deadline = time.monotonic() + 30
    while not (terminal.here / take.name).exists() or (terminal.here / take.name).stat().st_size == 0:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    # "Cancel".
    terminal.press("ZMODEM", 125, 135)
    terminal.expect("the transfer was cancelled at the other end")
    terminal.expect("mynah> ")
    assert 0 < (terminal.here / take.name).stat().st_size < take.stat().st_size
    terminal.send(f"send {take.name}'#13'")
    terminal.expect("1 file sent")
    other = terminal.here / f"{take.stem}1{take.suffix}"
    assert filecmp.cmp(other, take, shallow=False)


@pytest.mark.parametrize("isBinary", [True, False])
def test_a_file_is_sent_to_the_device_bit_by_bit(terminal, board, isBinary):
    shutil.copyfile(smallest(board), terminal.here / "An interview.m4a")
    terminal.send("receive'#13'")
    terminal.expect("**")
    # It has no blanks in names.
    assert "An_interview.m4a" in terminal.deliver("An interview.m4a", isBinary)
    assert filecmp.cmp(terminal.here / "An interview.m4a", board.data / "recordings/An_interview.m4a", shallow=False)


def test_a_file_is_sent_at_the_prompt_without_receive(terminal, board):
    shutil.copyfile(smallest(board), terminal.here / "Interview.m4a")
    assert "no command" not in terminal.deliver("Interview.m4a")
    assert filecmp.cmp(terminal.here / "Interview.m4a", board.data / "recordings/Interview.m4a", shallow=False)
    assert "dictaphone.idle" in terminal.command("status")


def test_a_file_whose_sending_broke_off_goes_on_where_it_was(start, board):
    content = os.urandom(3_000_000)
    terminal = start()
    (terminal.here / "Long.wav").write_bytes(content)
    terminal.relay.limit = 2_000_000
    terminal.send("receive'#13'")
    terminal.expect("**")
    terminal.begin("zmodemsend 'Long.wav' 1")
    deadline = time.monotonic() + 60
    while terminal.relay.passed < terminal.relay.limit:
        assert time.monotonic() < deadline, terminal.relay.passed
        time.sleep(0.1)
    # The computer has gone; the next one ends what is still waited for.
    terminal.close()
    terminal = start(greets=False)
    terminal.send("'#24#24#24#24#24'")
    terminal.expect("the transfer was cancelled at the other end")
    terminal.expect("mynah> ")
    (terminal.here / "Long.wav").write_bytes(content)
    before = terminal.relay.passed
    terminal.deliver("Long.wav")
    assert (board.data / "recordings/Long.wav").read_bytes() == content
    # With escapes and sums the two make 3,200,000 at most.
    assert 1_000_000 < terminal.relay.passed - before < 1_300_000
