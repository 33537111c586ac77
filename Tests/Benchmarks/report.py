"""The page of results."""
import statistics


def spread(values, digits=2):
    """Median (lowest–highest)."""
    values = list(values)
    if not values:
        return "–"
    middle = statistics.median(values)
    if len(values) == 1:
        return f"{middle:.{digits}f}"
    return f"{middle:.{digits}f} ({min(values):.{digits}f}–{max(values):.{digits}f})"


def ratio(values, others):
    """Median of the ratios of rounds that ran together."""
    pairs = [a / b for a, b in zip(values, others) if b > 0]
    return statistics.median(pairs) if pairs else None


class Page:
    def __init__(self):
        self.sections = []
        self.goals = []
        self.machine = []

    def set_machine(self, lines):
        self.machine = lines

    def section(self, title, text, head, rows, notes=()):
        lines = [f"## {title}", "", text, ""]
        lines += ["| " + " | ".join(head) + " |", "|" + "|".join(["---"] + ["---:"] * (len(head) - 1)) + "|"]
        lines += ["| " + " | ".join(row) + " |" for row in rows]
        for note in notes:
            lines += ["", note]
        self.sections.append("\n".join(lines))

    def goal(self, what, limit, value, unit="×", digits=2):
        """value at most limit; None where it could not be measured."""
        if value is None:
            self.goals.append((what, f"≤ {limit}{unit}", "not measured", "–"))
            return
        verdict = "met" if value <= limit else "**not met**"
        self.goals.append((what, f"≤ {limit}{unit}", f"{value:.{digits}f}{unit}", verdict))

    def merged(self, kept):
        """These sections and goals in the place of those of the same name on a page of before, the new ones at its end."""
        head, *old = kept.rstrip("\n").split("\n## ")
        when = "Measured by itself: " + "; ".join(self.machine[:3]) + "."
        sections = {section.split("\n", 1)[0]: section for section in old}
        for section in self.sections:
            title = section.removeprefix("## ").split("\n", 1)[0]
            sections[title] = f"{section.removeprefix('## ')}\n\n{when}\n"
        goals = {line.split(" | ")[0]: line for line in sections.get("Goals", "").splitlines() if line.startswith("| ")}
        for row in self.goals:
            goals[f"| {row[0]}"] = "| " + " | ".join(row) + " |"
        first, rest = (goals.pop("| goal"), list(goals.values()))
        sections["Goals"] = "\n".join(["Goals", "", first, "|---|---:|---:|---|", *rest, ""])
        return "\n## ".join([head, *(section.rstrip("\n") + "\n" for section in sections.values())])

    def markdown(self):
        lines = ["# Benchmark results", "", "Made by `make bench`. Medians, with lowest–highest of all rounds.", ""]
        lines += [f"- {line}" for line in self.machine] + [""]
        if self.goals:
            lines += ["## Goals", "", "| goal | limit | measured | |", "|---|---:|---:|---|"]
            lines += ["| " + " | ".join(row) + " |" for row in self.goals] + [""]
        return "\n".join(lines) + "\n" + "\n\n".join(self.sections) + "\n"
