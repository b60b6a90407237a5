"""Cells of a spreadsheet that hold what people and models wrote."""

import csv

import pytest

from sayso.server.rest_exports import csv_line


@pytest.mark.parametrize(
    "begins", ["=", "+", "-", "@", "\t=", "\r=", "\n=", "＝", "＋", "－", "＠"]
)
def test_no_cell_is_a_formula(begins: str):
    """The list is OWASP's; a spreadsheet reads the wide signs of East Asia as the narrow ones."""
    line = csv_line([f"{begins}1+1", -1.5]).decode()
    [row] = csv.reader([line])
    assert row[0].startswith("'")
    assert [row[0].replace("'", ""), row[1]] == [f"{begins}1+1", "-1.5"]


@pytest.mark.parametrize("parts", [";", "\t", "|", "; ", "\n", "\r\n"])
def test_no_part_of_a_cell_is_a_formula_where_something_else_parts_them(parts: str):
    """A table of a locale with decimal commas is parted at semicolons, quotes or not."""
    line = csv_line(["who", f"x{parts}=1+1", f"{parts}@a"]).decode()
    for cut in (";", "\t", "|", "\n"):
        for cell in line.split(cut):
            assert not cell.strip('" \r').startswith(("=", "+", "-", "@")), cell
    assert line.startswith('"who","x')
    assert csv_line(["a-b, c=d; e"]) == b'"a-b, c=d; e"\r\n'
