"""What can be asked of the store: one function a verb, each a whole transaction.

Their contract is in `sayso.core.ports`.
"""

from sayso.store.verbs import (  # noqa: F401  # store.py binds them from here
    accounts,
    answers,
    artifacts,
    asks,
    attention,
    audit,
    audit_check,
    boot,
    cancel,
    chats,
    effect_end,
    effects,
    inbox,
    messages,
    personal,
    pushes,
    retries,
    runs,
    sign_ins,
    standing_rules,
    suspend,
    ui_calls,
    webhooks,
)
