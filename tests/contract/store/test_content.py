"""What is too large for an event is kept once, by its digest, and for its tenant alone."""

from sayso.core.digest import content_digest
from tests.contract.store.story import Story


async def test_content_is_kept_by_its_digest(story: Story) -> None:
    page = b"<p>pods</p>" * 10_000
    digest = await story.store.keep_content("a", page)
    assert digest == content_digest(page)
    assert await story.store.keep_content("a", page) == digest
    assert await story.store.content("a", digest) == page
    assert await story.store.content("b", digest) is None
    assert await story.store.content("a", "sha256:none") is None
