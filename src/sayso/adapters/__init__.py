"""One file or folder per agent framework, each imported only when it is used."""
