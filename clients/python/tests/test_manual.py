"""What the manual shows of the console is typed on a line as a person types it, and answered in the form that is shown."""

import os
import re
import select
import time
from pathlib import Path

import pytest
from mynah_client import Simulator

PAGE = Path(__file__).parents[3] / "docs" / "manual" / "console.md"
PROMPT = "mynah> "
PATIENCE = 60

# Of commands that go on until they are ended: by what.
ENDED_BY = {"watch status": "x", "watch 10 budget": "x", "log --follow": "\x03", "selftest all": "\x03", "bundle": "\x03"}
# Of commands that want what a simulator on a desk has not: what is said then.
WANTING = {
    "export all": "there is no stick",
    "export 1": "there is no stick",
    "export 1 mp3": "there is no stick",
    "bundle stick": "no stick",
    "bundle": "(cancelled)",
}


def form(line):
    """A line without what differs from take to take, and with two blanks for many."""
    line = re.sub(r"\d{6}_\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ", "TAKE", line)
    line = re.sub(r"\b(\d+h)?(\d+m)?\d+(\.\d+)?s\b", "TIME", line)
    line = re.sub(r"\b\d+(\.\d+)? [kM]?B\b", "SIZE", line)
    return re.sub(r" {2,}", "  ", line).strip()


def blocks(language):
    """The page's examples in a language, each as its lines."""
    found = re.findall(rf"^```{language}\n(.*?)^```$", PAGE.read_text(), re.M | re.S)
    return [block.splitlines() for block in found]


def conversation(block):
    """Commands behind the prompt, each with what is answered."""
    asked = []
    for line in block:
        if line.startswith(PROMPT):
            asked.append((line[len(PROMPT) :], []))
        elif asked:
            asked[-1][1].append(line)
    return asked


def table():
    """The commands of the table of what to type, in its order, each once."""
    rows = PAGE.read_text().split("| To | Type |\n", 1)[1].split("\n\n", 1)[0].splitlines()[1:]
    words = [word for row in rows for word in re.findall(r"`([^`]+)`", row.split(" | ", 1)[1])]
    return list(dict.fromkeys(word for word in words if word not in ("rz", "send last")))


class Person:
    """Somebody at a terminal: one key after the other, each of which is seen before the next."""

    def __init__(self, path):
        self._line = os.open(path, os.O_RDWR | os.O_NOCTTY)
        self.seen = ""

    def close(self):
        os.close(self._line)

    def read(self, until, patience=PATIENCE):
        """Everything up to some words, which are taken from what has been seen."""
        end = time.monotonic() + patience
        while until not in self.seen:
            assert time.monotonic() < end, f"no {until!r} in {self.seen!r}"
            if select.select([self._line], [], [], 0.2)[0]:
                self.seen += os.read(self._line, 4096).decode(errors="replace")
        before, self.seen = self.seen.split(until, 1)
        return before

    def send(self, keys):
        os.write(self._line, keys.encode())

    def type(self, text):
        """Keys with their echo."""
        for key in text:
            self.send(key)
            self.read(key)

    def ask(self, command):
        """The answer's lines to a command, up to the next prompt."""
        self.type(command)
        self.send("\r")
        ending = ENDED_BY.get(command)
        if ending:
            self.read("\n")
            # What is gathered first takes as long as it does.
            self.read("rz") if command == "bundle" else time.sleep(0.5)
            self.send(ending)
        return self.answer()

    def answer(self):
        text = self.read("\n" + PROMPT) if not self.seen.startswith(PROMPT) else ""
        return [line.rstrip("\r") for line in text.split("\n")[1:]]


@pytest.fixture
def board(mynah_program, cable):
    with Simulator(mynah_program, console=cable.device, microphone="speech") as simulator:
        yield simulator


@pytest.fixture
def person(board, cable):
    person = Person(cable.host)
    person.read(PROMPT)
    person.send("page 0\r")
    person.read(PROMPT)
    # A microphone is opened in its own time; without one much is refused.
    while "armed" not in " ".join(person.ask("status")):
        time.sleep(0.2)
    yield person
    person.close()


def test_the_example_is_what_is_said(mynah_program, cable, tmp_path):
    shown = blocks("text")[0]
    options = {"data": tmp_path, "microphone": "speech", "camera": "none"}
    # The first of the two takes of the example, in an earlier run.
    with Simulator(mynah_program, **options) as simulator:
        with simulator.connect() as client:
            client.recorder.start()
            client.recorder.stop()
    with Simulator(mynah_program, console=cable.device, **options):
        person = Person(cable.host)
        assert person.read(PROMPT).strip() == shown[0]
        hold_the_conversation(person, shown)
        person.close()


def hold_the_conversation(person, shown):
    asked = conversation(shown)
    assert [command for command, _ in asked] == [
        "rec",
        "mark the answer",
        "status",
        "stop",
        "list 3",
        "settings recording.bitrateKbps 64",
    ]
    for command, shown_answer in asked:
        answer = person.ask(command)
        # Of sentences that are longer than the terminal the rest is on a line of its own.
        # The player may have a take of before in hand.
        answer = [line for line in answer if not line.startswith("player")]
        answer = re.sub(r"\n +(?=\S+.*\(bad-argument\))", " ", "\n".join(answer)).split("\n")
        assert [form(line) for line in answer] == [form(line) for line in shown_answer], command
        # As long as it takes somebody to read it; what is told of a mark goes by itself.
        time.sleep(5)


def test_all_that_the_table_names_is_understood(person):
    commands = table()
    assert len(commands) > 30
    for command in commands:
        if command in ("reboot", "poweroff"):
            continue
        if command == "events":
            person.type(command)
            person.send("\r")
            continue
        answer = " ".join(line.strip() for line in person.ask(command))
        assert "there is no command" not in answer, command
        wanted = WANTING.get(command)
        if wanted:
            assert wanted in answer, (command, answer)
        else:
            assert "error:" not in answer, (command, answer)
        if command in ("rec", "mode clips"):
            time.sleep(1.5)


@pytest.mark.parametrize("command", ["reboot", "poweroff"])
def test_what_is_open_is_saved_before_it_goes(board, person, command):
    assert command in table()
    person.ask("rec")
    time.sleep(1)
    assert person.ask(command) == ["ok"]
    assert board.wait(PATIENCE) == 0
    take = next((board.data / "recordings").glob("*.json")).read_text()
    assert '"inProgress": false' in take


def test_the_library_is_worked_with_as_shown(person):
    for command in ("rec", "stop"):
        person.ask(command)
    block = next(block for block in blocks("text") if block[0].startswith("find harbour"))
    commands = [re.split(r"  +", line)[0] for line in block] + re.findall(r'"([^"]+)"', " ".join(block))
    assert len(commands) > 8
    for command in commands:
        command = command.replace("ID", "last").replace("42", "1")
        answer = " ".join(line.strip() for line in person.ask(command))
        wanted = WANTING.get(command)
        if wanted or command == "export all":
            assert "there is no stick" in answer, (command, answer)
        else:
            assert answer and "error:" not in answer, (command, answer)
    assert person.ask("list 1")[0].startswith("take")


def test_beginnings_and_slips_are_understood_as_written(person):
    person.ask("rec")
    assert form(person.ask("stat")[0]) == "mode  dictaphone.recording"
    person.ask("stop")
    for name in ("last", "1", "000001", "Take", '"Take 1"'):
        assert person.ask(f"show {name}")[0] == person.ask("show last")[0], name
    assert 'did you mean "rec"?' in " ".join(person.ask("recc"))
    told = " ".join(person.ask("settings recording.format"))
    for word in ("recording.format", "Takes", "Default: aac", "Counts from: next take"):
        assert word in told, told
    person.ask("settings recording.format wav")
    assert "wav" in person.ask("settings recording.format")[0]
    person.ask("settings reset recording.format")
    assert "aac" in person.ask("settings recording.format")[0]


def test_lines_are_edited_completed_and_left(person):
    person.type("settings recording.forma")
    person.send("\t")
    person.read("t")
    person.send("\r")
    assert person.answer()[0].startswith("recording.format")
    # Of many the beginning that they have in common, then all of them.
    person.type("settings rec")
    person.send("\t")
    person.read("ording.")
    person.send("\t")
    listed = person.read(PROMPT + "settings recording.")
    assert "recording.format" in listed and "recording.lowCutHz" in listed
    person.send("\x03")
    person.read("^C")
    person.read(PROMPT)
    # What was left was not done, and is not in the way.
    person.type("rec")
    person.send("\x03")
    person.read(PROMPT)
    assert person.ask("status")[0].split()[1] == "dictaphone.idle,"
    # The line before comes back, a letter is taken out and another put in.
    person.send("\x1b[A")
    person.read("status")
    person.send("\x7f" * 6)
    person.send("version\r")
    assert any(line.startswith("board") for line in person.answer())


def test_a_long_listing_stops_at_pages(person):
    more = "--More--"
    person.ask("page 24")
    person.type("methods")
    person.send("\r")
    first = person.read(more)
    assert 20 <= first.count("\n") <= 24
    person.send(" ")
    assert 20 <= person.read(more).count("\n") <= 24
    person.send("\r")
    assert person.read(more).count("\n") <= 2
    person.send("q")
    person.read(PROMPT)
    for ending in ("\x03", "v"):
        person.type("methods")
        person.send("\r")
        person.read(more)
        person.send(ending)
        person.read(PROMPT)
        if ending == "v":
            # Any other key begins the next command.
            person.send("ersion\r")
            assert any(line.startswith("board") for line in person.answer())
    person.ask("page 50")
    person.type("methods")
    person.send("\r")
    assert 45 <= person.read(more).count("\n") <= 50
    person.send("q")
    person.read(PROMPT)
    person.ask("page 0")
    assert len(person.ask("methods")) > 150


def test_what_is_typed_while_output_runs_is_not_lost(person):
    person.send("methods\rversion\rstatus\r")
    person.read(PROMPT + "version\r\n")
    assert any(line.startswith("board") for line in ("\n" + person.read(PROMPT)).split("\n"))
    person.read("status\r\n")
    assert person.read(PROMPT).startswith("mode")
