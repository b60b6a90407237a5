"""The artifacts of an agent that has no service for them: they are kept with its chat."""

from __future__ import annotations

from typing import Any

import orjson
from google.adk.artifacts import InMemoryArtifactService
from pydantic import JsonValue

from sayso.core.errors import NotSupportedError

#: They are written with each state of a run: what is larger belongs into a service of its own.
MAX_ARTIFACTS_BYTES = 1_000_000


class ChatArtifacts(InMemoryArtifactService):
    """The artifacts of one chat."""

    @classmethod
    def load(cls, kept: JsonValue) -> ChatArtifacts:
        return cls.model_validate_json(orjson.dumps(kept)) if kept else cls()

    def dump(self) -> JsonValue:
        """Return them as JSON; None where there are none."""
        if not self.artifacts:
            return None
        found: JsonValue = orjson.loads(self._as_json())
        return found

    async def save_artifact(self, **given: Any) -> int:
        before = {path: list(versions) for path, versions in self.artifacts.items()}
        version = await super().save_artifact(**given)
        if len(self._as_json()) > MAX_ARTIFACTS_BYTES:
            self.artifacts = before
            raise NotSupportedError(
                f"The artifacts of this chat would be larger than {MAX_ARTIFACTS_BYTES} bytes.",
                fix="Serve a Runner that has an artifact_service.",
            )
        return version

    def _as_json(self) -> str:
        return self.model_dump_json(exclude_none=True)
