"""What an answer names: the steps that may run because of it. It imports nothing of Sayso.

It reads a card as the API showed it, and an answer as it went over the wire, the way a careful
person would: what is not clearly a yes to exactly this names nothing. A step is a call without its
table, or one row of that table; `steps` says it of what ran, too.
"""

import json
from collections import Counter
from functools import reduce
from operator import or_
from typing import Any

Json = dict[str, Any]
Steps = Counter[str]
OURS = {"interaction_id", "approved", "decision", "reason", "user_message", "metadata", "digest"}
YES = ("approve", "approved", "partial")
NOTHING: Steps = Counter()


def named(card: Json, body: bytes, status: int) -> Steps:
    """What this answer, with this status as its reply, allows."""
    said, shown = _read(body), card["payload"]
    if said is None or not 200 <= status < 300:
        return NOTHING
    schema = shown.get("response_schema") or shown["sayso"].get("response_schema") or {}
    fields = set(schema.get("properties", ()))
    wrapped = _object(said.get("tool_response"))
    inner = _object(wrapped.get("approval_decision")) | _object(wrapped.get("user_input"))
    ours = {k: v for k, v in (said | inner).items() if k not in fields}
    if not _is_a_yes(ours) or not _is_to_this(card, ours, wrapped):
        return NOTHING
    parts = ours | _object(ours.get("response_data"))
    if fields:
        plain = {k: v for k, v in said.items() if k in fields or k not in OURS}
        # An application's own card may have both: what was filled in, and what was picked.
        picked = {k: parts[k] for k in ("selected_option", "additional_notes") if k in parts}
        both = _object(parts.get("values")) | picked
        readings = [plain, parts.get("values"), said.get("values"), wrapped.get("user_input"), both]
        # What the card has no field for may be left out.
        dicts = [each for each in readings if isinstance(each, dict)]
        fit = [*dicts, *({k: v for k, v in each.items() if k in fields} for each in dicts)]
        return reduce(or_, (steps(card["card"], each) for each in fit if each), NOTHING)
    match card["card"]:
        case "options":
            option, notes = parts.get("selected_option"), parts.get("additional_notes") or ""
            if not shown["options"]:
                return steps("options", {"id": None, "notes": notes or option})
            return steps("options", {"id": option, "notes": notes})
        case _ if "approved" not in ours and "decision" not in ours:
            return NOTHING
        case "confirmation":
            return steps("confirmation", {"title": card["title"]})
        case _:
            return _calls(shown, parts)


def words(card: Json, said: str, mode: str) -> Steps:
    """What words typed into the chat allow: they answer a free question and nothing else."""
    asks = card["card"] == "options" and not card["payload"]["options"] and mode == "queue"
    return steps("options", {"id": None, "notes": said}) if asks else NOTHING


def steps(tool: str, arguments: Json, table: str | None = None) -> Steps:
    """A call, taken apart: itself without its table, and each row of that."""
    rows = arguments.get(table or "")
    if not isinstance(rows, list):
        return Counter([_text([tool, arguments])])
    rest = _text([tool, {k: v for k, v in arguments.items() if k != table}])
    return Counter([rest, *(f"{rest} row {_text(row)}" for row in rows)])


def _calls(shown: Json, parts: Json) -> Steps:
    """An approval's call with the edits, and of its rows those that have a yes of their own."""
    before = shown["entity_details"] if shown["agent_acts"] else shown["tool_params"]
    if not isinstance(edits := parts.get("edits") or {}, dict):
        return NOTHING
    tool, arguments, rows = shown["tool_name"], before | edits, shown.get("rows", [])
    table = table_of(shown)
    yes, no = parts.get("approved_rows"), set(parts.get("rejected_rows") or ())
    if yes is None and not no:
        return steps(tool, arguments, table) if parts.get("decision") != "partial" else NOTHING
    ids = [row["row_id"] for row in rows]
    kept = [each for each in ids if each in set(yes or ()) - no]
    if kept and kept == ids and not no and set(yes or ()) == set(ids):
        return steps(tool, arguments, table)
    entries = _entries(rows, before.get(table or ""))
    after = arguments.get(table or "")
    if not kept or entries is None or not isinstance(after, list) or len(after) != len(rows):
        return NOTHING
    chosen = [after[entries[ids.index(each)]] for each in kept]
    return steps(tool, {**arguments, str(table): chosen}, table)


def table_of(shown: Json) -> str | None:
    """The argument that the rows of a card stand for."""
    lists = [k for k, v in shown.get("entity_details", {}).items() if isinstance(v, list)]
    return shown.get("rows_argument") or (lists[0] if shown.get("agent_acts") and lists else None)


def _entries(rows: list[Json], table: object) -> list[int] | None:
    """Where each shown row stands in the argument; None unless they are one to one."""
    left = dict(enumerate(table)) if isinstance(table, list) else {}
    found = []
    for row in rows:
        fits = (i for i, e in left.items() if _object(e) and e.items() <= row["values"].items())
        if (at := next(fits, None)) is None:
            return None
        found.append(at)
        del left[at]
    return None if left else found


def _is_a_yes(said: Json) -> bool:
    word = said.get("decision", "approve")
    return said.get("approved", True) is True and isinstance(word, str) and word.lower() in YES


def _is_to_this(card: Json, said: Json, wrapped: Json) -> bool:
    """The answer means this card, and the revision of it that is on the screen."""
    meta, metadata = card["payload"]["sayso"], _object(said.get("metadata"))
    digests = {each.get("digest") for each in (said, wrapped, metadata)} - {None}
    if said.get("interaction_id", card["interaction_id"]) != card["interaction_id"]:
        return False
    return digests <= {meta.get("digest")} and bool(digests or meta["revision"] == 1)


def _object(value: object) -> Json:
    return value if isinstance(value, dict) else {}


def _text(value: object) -> str:
    """Equal values have one text: 5 and 5.0 are one number."""
    return json.dumps(json.loads(json.dumps(value), parse_int=float), sort_keys=True)


def _read(body: bytes) -> Json | None:
    def once(pairs: list[tuple[str, Any]]) -> Json:
        if len(dict(pairs)) < len(pairs):
            raise ValueError("a name stands twice")
        return dict(pairs)

    def never(name: str) -> float:
        raise ValueError(f"{name} is no JSON")

    try:
        said = json.loads(body, object_pairs_hook=once, parse_constant=never)
    except (ValueError, RecursionError):
        return None
    return said if isinstance(said, dict) else None
