"""What alembic runs: the revisions, on the connection that `upgrade` hands over."""

from alembic import context

from sayso.store.tables import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    # SQLite alters a table by copying it.
    render_as_batch=True,
    # All revisions or none: the caller has begun the transaction, this commits it.
    transactional_ddl=True,
)
with context.begin_transaction():
    context.run_migrations()
