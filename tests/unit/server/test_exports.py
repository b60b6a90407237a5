"""Cells of a spreadsheet that hold what people and models wrote."""

import csv

import pytest

from sayso.server.exports import csv_line


@pytest.mark.parametrize(
    "begins", ["=", "+", "-", "@", "\t=", "\r=", "\n=", "＝", "＋", "－", "＠"]
)
def test_no_cell_is_a_formula(begins: str):
    """The list is OWASP's; a spreadsheet reads the wide signs of East Asia as the narrow ones."""
    line = csv_line([f"{begins}1+1", -1.5]).decode()
    [row] = csv.reader([line])
    assert row == [f"'{begins}1+1", "-1.5"]
