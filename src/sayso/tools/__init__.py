"""What an agent may do: toolbox, `@tool`, tool context, proposals."""
