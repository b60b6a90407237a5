"""What is too large for an event is kept once, by its digest, and for its tenant alone."""

from sayso.core.digest import content_digest
from tests.contract.store.story import APP, Story, approval


async def test_content_is_kept_by_its_digest(story: Story) -> None:
    page = b"<p>pods</p>" * 10_000
    digest = await story.store.keep_content("a", page)
    assert digest == content_digest(page)
    assert await story.store.keep_content("a", page) == digest
    assert await story.store.content("a", digest) == page
    assert await story.store.content("b", digest) is None
    assert await story.store.content("a", "sha256:none") is None


async def test_the_files_beside_a_card_are_kept_as_it_opens(story: Story) -> None:
    body = b"a broken box"
    digest = content_digest(body)
    await story.waiting(approval(files={digest: body}))
    assert await story.store.content(APP, digest) == body
