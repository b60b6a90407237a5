"""Write the next version of a chat's requirements into its log."""

from __future__ import annotations

from sayso.core.digest import JsonObject
from sayso.core.effects import GrantUse
from sayso.core.events import RequirementsChanged
from sayso.core.requirements import check_next, used_up
from sayso.store.chat_log import ChatLog


def add_requirements(log: ChatLog, changed: JsonObject, *, by: str | None = None) -> None:
    """Add the next version to the log of a chat that is locked. Raises VersionConflict."""
    check_next(log.chat.head.requirements, changed)
    log.add(RequirementsChanged(requirements=changed), by=by)


def use_grant(log: ChatLog, grant: GrantUse) -> None:
    """Mark a grant as used, in the transaction that starts its effect. Raises GrantVoid."""
    kept = log.chat.head.requirements
    log.add(RequirementsChanged(requirements=used_up(kept, grant.grant_id, grant.value_hash)))
