"""What came out: a line a check, JUnit's XML, and the table of measures."""

import dataclasses
import pathlib
import xml.etree.ElementTree as xml

from .host import Share


@dataclasses.dataclass
class Outcome:
    name: str
    what: str
    seconds: float
    # "passed", "failed" or "skipped".
    verdict: str
    message: str = ""
    # How much processor the host gave the machine meanwhile; None where that cannot be told.
    share: Share | None = None


def junit(outcomes: list[Outcome], path: pathlib.Path) -> None:
    """As CI systems read it."""
    count = {verdict: sum(one.verdict == verdict for one in outcomes) for verdict in ("failed", "skipped")}
    suite = xml.Element(
        "testsuite", name="rig", tests=str(len(outcomes)), failures=str(count["failed"]),
        skipped=str(count["skipped"]), time=f"{sum(one.seconds for one in outcomes):.1f}")
    for one in outcomes:
        case = xml.SubElement(suite, "testcase", classname="rig", name=one.name, time=f"{one.seconds:.1f}")
        if one.share:
            properties = xml.SubElement(case, "properties")
            for name, value in (
                ("processor.used", f"{one.share.ran / max(one.share.seconds, 1e-9):.2f}"),
                ("processor.given", f"{one.share.given:.3f}"), ("processor.stolen", f"{one.share.stolen:.2f}"),
            ):
                xml.SubElement(properties, "property", name=name, value=value)
        if one.verdict == "failed":
            xml.SubElement(case, "failure", message=_printable(one.message)).text = _printable(one.message)
        elif one.verdict == "skipped":
            xml.SubElement(case, "skipped", message=_printable(one.message))
    path.parent.mkdir(parents=True, exist_ok=True)
    xml.ElementTree(suite).write(path, encoding="utf-8", xml_declaration=True)


def _printable(text: str) -> str:
    return "".join(letter if letter.isprintable() or letter == "\n" else "?" for letter in text)


def summary(outcomes: list[Outcome]) -> str:
    words = ("passed", "failed", "skipped")
    count = {verdict: [one for one in outcomes if one.verdict == verdict] for verdict in words}
    lines = [f"skipped {one.name}: {one.message}" for one in count["skipped"]]
    lines += [f"FAILED  {one.name}: {one.message}" for one in count["failed"]]
    starved = [one.name for one in count["failed"] if one.share and one.share.is_starved]
    if starved:
        lines.append(f"the host starved the machine while these failed: {', '.join(starved)}; try them on a quieter one")
    measured = [one.share for one in outcomes if one.share]
    if measured:
        total = Share(*(sum(getattr(s, f) for s in measured) for f in ("seconds", "ran", "waited", "stolen")))
        lines.append(f"processor: {total}")
    lines.append(f"{len(count['passed'])} passed, {len(count['failed'])} failed")
    return "\n".join(lines)


def table(measures: dict[str, str]) -> str:
    if not measures:
        return ""
    width = max(map(len, measures))
    return "\n".join(f"{name:{width}}  {value}" for name, value in measures.items())


def results(path: pathlib.Path, heading: list[str], outcomes: list[Outcome], measures: dict[str, str]) -> None:
    """The tables as Markdown, to be kept."""
    lines = ["# What the rig measured", "", "Made by the rig (`--results`); do not edit.", ""]
    lines += [*heading, "", "| Measure | |", "|---|---|"]
    lines += [f"| {name} | {value} |" for name, value in measures.items()]
    lines += ["", "| Check | Outcome | Seconds | |", "|---|---|---:|---|"]
    for one in outcomes:
        note = one.message.replace("\n", " ").replace("|", "/")[:160] if one.verdict != "passed" else one.what
        lines.append(f"| {one.name} | {one.verdict} | {one.seconds:.0f} | {note} |")
    path.write_text("\n".join(lines) + "\n")
