"""The three results as files: Markdown, rows for a spreadsheet, and a calendar (RFC 5545).

People change the content in the console, so it is read again through its model; what no longer fits
raises ValueError.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import UTC, date, datetime, timedelta

from sayso import ArtifactItem, Exports, Rows
from sayso.packs.trips.results import Budget, Checklist, Itinerary

# A line of a calendar has at most 75 octets, its end not counted.
_LINE_OCTETS = 75


def checklist_markdown(artifact: ArtifactItem) -> str:
    made = Checklist.model_validate(artifact.content)
    lines = [_heading(artifact)]
    for category in made.categories:
        lines += ["", f"## {_line(category.name)}", ""]
        lines += [f"- [{'x' if one.done else ' '}] {_line(one.text)}" for one in category.items]
    return _text(lines, made.note)


def checklist_rows(artifact: ArtifactItem) -> Rows:
    made = Checklist.model_validate(artifact.content)
    rows: Rows = [["Category", "Item", "Done"]]
    for category in made.categories:
        rows += [[category.name, one.text, "yes" if one.done else "no"] for one in category.items]
    return rows


def itinerary_markdown(artifact: ArtifactItem) -> str:
    made = Itinerary.model_validate(artifact.content)
    lines = [_heading(artifact)]
    for day in made.days:
        when = f" ({day.date.isoformat()})" if day.date else ""
        lines += ["", f"## {_line(day.title)}{when}", ""]
        lines += [f"- {_line(part)}" for part in day.parts]
    return _text(lines, made.note)


def itinerary_rows(artifact: ArtifactItem) -> Rows:
    made = Itinerary.model_validate(artifact.content)
    rows: Rows = [["Date", "Day", "What"]]
    for day in made.days:
        when = day.date.isoformat() if day.date else ""
        rows += [[when, day.title, part] for part in day.parts]
    return rows


def itinerary_calendar(artifact: ArtifactItem) -> str:
    """Return each day as an event of the whole day. Raises ValueError where no day has a date."""
    made = Itinerary.model_validate(artifact.content)
    dated = [(number, day) for number, day in enumerate(made.days, 1) if day.date is not None]
    if not dated:
        raise ValueError("No day of this itinerary has a date. Give one a date first")
    if any(day.date == date.max for _, day in dated):
        raise ValueError(f"A calendar has no day after {date.max}, which is too late")
    stamp = datetime.fromisoformat(artifact.updated_at).astimezone(UTC).strftime("%Y%m%dT%H%M%SZ")
    lines = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//Sayso//Trips//EN", "CALSCALE:GREGORIAN"]
    for number, day in dated:
        assert day.date is not None
        lines += [
            "BEGIN:VEVENT",
            f"UID:{artifact.artifact_id}-{number}@sayso",
            f"DTSTAMP:{stamp}",
            f"DTSTART;VALUE=DATE:{day.date:%Y%m%d}",
            f"DTEND;VALUE=DATE:{day.date + timedelta(days=1):%Y%m%d}",
            f"SEQUENCE:{artifact.version}",
            f"SUMMARY:{_calendar_text(day.title)}",
            f"DESCRIPTION:{_calendar_text(chr(10).join(day.parts))}",
            "TRANSP:TRANSPARENT",
            "END:VEVENT",
        ]
    lines.append("END:VCALENDAR")
    return "".join(f"{part}\r\n" for line in lines for part in _folded(line))


def budget_markdown(artifact: ArtifactItem) -> str:
    made = Budget.model_validate(artifact.content)
    unit = f" ({_cell(made.currency)})" if made.currency else ""
    lines = [_heading(artifact), "", f"| Category | Amount{unit} | Note |", "| --- | ---: | --- |"]
    lines += [
        f"| {_cell(one.category)} | {one.amount:.2f} | {_cell(one.note)} |" for one in made.lines
    ]
    lines.append(f"| **Total** | **{made.total:.2f}** | |")
    return _text(lines, made.note)


def budget_rows(artifact: ArtifactItem) -> Rows:
    made = Budget.model_validate(artifact.content)
    rows: Rows = [["Category", "Amount", "Currency", "Note"]]
    rows += [[one.category, one.amount, made.currency, one.note] for one in made.lines]
    rows.append(["Total", made.total, made.currency, ""])
    return rows


EXPORTS: Exports = {
    "trip_checklist": {"markdown": checklist_markdown, "csv": checklist_rows},
    "trip_itinerary": {
        "markdown": itinerary_markdown,
        "csv": itinerary_rows,
        "ics": itinerary_calendar,
    },
    "trip_budget": {"markdown": budget_markdown, "csv": budget_rows},
}


def _heading(artifact: ArtifactItem) -> str:
    return f"# {_line(artifact.title)}"


def _text(lines: Iterable[str], note: str) -> str:
    end = f"\n_{_line(note)}_\n" if note else ""
    return "\n".join(lines) + "\n" + end


def _line(text: str) -> str:
    """On one line, and no link, picture or HTML."""
    return re.sub(r"[\\<\[]", r"\\\g<0>", " ".join(text.split()))


def _cell(text: str) -> str:
    return _line(text).replace("|", "\\|")


def _calendar_text(text: str) -> str:
    """Return a TEXT value (section 3.3.11): no control character but the escaped line break."""
    kept = "".join(char for char in text if char == "\n" or char.isprintable())
    for char in ("\\", ";", ","):
        kept = kept.replace(char, f"\\{char}")
    return kept.replace("\n", "\\n")


def _folded(line: str) -> Iterator[str]:
    """Yield the line in pieces of at most 75 octets, never within a character; each but the
    first begins with a space (section 3.1)."""
    piece = ""
    for char in line:
        if len((piece + char).encode()) > _LINE_OCTETS:
            yield piece
            piece = " "
        piece += char
    yield piece
