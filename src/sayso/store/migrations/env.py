"""What alembic runs: the revisions, on the connection that `upgrade` hands over."""

from alembic import context

from sayso.store.tables import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    # SQLite alters a table by copying it.
    render_as_batch=True,
    # The caller's transaction holds all revisions together.
    transactional_ddl=False,
)
context.run_migrations()
