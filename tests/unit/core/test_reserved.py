"""What nobody may take: ids of child tasks, and more choices than are for display."""

from __future__ import annotations

import pytest

from sayso.core.children import child_task_id, reject_child_task_id
from sayso.core.errors import InvalidInput, TooLarge
from sayso.core.preferences import MOST_KEY_CHARACTERS, check_preferences


def test_a_task_from_outside_cannot_be_called_like_a_childs() -> None:
    reject_child_task_id("task")
    with pytest.raises(InvalidInput, match="tasks that agents hand on"):
        reject_child_task_id(child_task_id("run"))


def test_the_name_of_a_choice_has_an_end() -> None:
    check_preferences({"x" * MOST_KEY_CHARACTERS: True})
    with pytest.raises(TooLarge, match="name of a preference"):
        check_preferences({"x" * (MOST_KEY_CHARACTERS + 1): True})
