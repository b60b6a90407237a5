"""What a server leaves behind when it ends: neither its port nor its address, and nobody else's."""

from pathlib import Path

from pydantic import SecretStr

from sayso.server.process import _forget_address, bind, write_address_file
from sayso.settings import Token
from tests.forked import forked_child


def test_a_forked_child_does_not_keep_the_port():
    listening = bind("127.0.0.1", 0)
    port = listening.getsockname()[1]
    with forked_child():
        listening.close()
        bind("127.0.0.1", port).close()


def test_a_server_that_ends_leaves_the_address_of_the_next_one(tmp_path: Path):
    old, new = (Token(secret=SecretStr(f"{name}-secret-0123456789")) for name in ("old", "new"))
    path = tmp_path / "server.json"
    write_address_file(path, "http://127.0.0.1:1", old)
    write_address_file(path, "http://127.0.0.1:2", new)
    _forget_address(path, old)
    assert path.exists()
    _forget_address(path, new)
    assert not path.exists()
    _forget_address(path, new)
