"""What a substance is made of, by mass, read from its chemical formula."""

from __future__ import annotations

import re
from collections import Counter

#: Standard atomic weights (IUPAC, abridged): facts, not a copy of anybody's table.
_WEIGHTS = {
    "H": 1.008, "He": 4.0026, "Li": 6.94, "Be": 9.0122, "B": 10.81, "C": 12.011, "N": 14.007,
    "O": 15.999, "F": 18.998, "Ne": 20.180, "Na": 22.990, "Mg": 24.305, "Al": 26.982, "Si": 28.085,
    "P": 30.974, "S": 32.06, "Cl": 35.45, "Ar": 39.95, "K": 39.098, "Ca": 40.078, "Sc": 44.956,
    "Ti": 47.867, "V": 50.942, "Cr": 51.996, "Mn": 54.938, "Fe": 55.845, "Co": 58.933, "Ni": 58.693,
    "Cu": 63.546, "Zn": 65.38, "Ga": 69.723, "Ge": 72.630, "As": 74.922, "Se": 78.971, "Br": 79.904,
    "Kr": 83.798, "Rb": 85.468, "Sr": 87.62, "Y": 88.906, "Zr": 91.224, "Nb": 92.906, "Mo": 95.95,
    "Ru": 101.07, "Rh": 102.91, "Pd": 106.42, "Ag": 107.87, "Cd": 112.41, "In": 114.82,
    "Sn": 118.71, "Sb": 121.76, "Te": 127.60, "I": 126.90, "Xe": 131.29, "Cs": 132.91, "Ba": 137.33,
    "La": 138.91, "Ce": 140.12, "Pr": 140.91, "Nd": 144.24, "Sm": 150.36, "Eu": 151.96,
    "Gd": 157.25, "Tb": 158.93, "Dy": 162.50, "Ho": 164.93, "Er": 167.26, "Tm": 168.93,
    "Yb": 173.05, "Lu": 174.97, "Hf": 178.49, "Ta": 180.95, "W": 183.84, "Re": 186.21, "Os": 190.23,
    "Ir": 192.22, "Pt": 195.08, "Au": 196.97, "Hg": 200.59, "Tl": 204.38, "Pb": 207.2, "Bi": 208.98,
    "Th": 232.04, "U": 238.03,
}  # fmt: skip
_ATOM = re.compile(r"([A-Z][a-z]?)(\d*)")
_ATOMS = re.compile(r"(?:[A-Z][a-z]?\d*)+")
_GROUP = re.compile(r"[(\[]((?:[A-Z][a-z]?\d*)+)[)\]](\d*)")
#: "Cr6+", and "NO3 -", "PO4 3-", "SO4(2-)", "NH4+".
_ION = re.compile(r"([A-Z][a-z]?)\d*[+-]+")
_CHARGE = re.compile(r"(?:\s+\d*|[(^]\d*)?[+-]+\)?$")
#: Between the parts of "CaSO4·2H2O", and of "CH3-CH2-CH3".
_BETWEEN = re.compile(r"[-·*.]")
_LONGEST = 200


def composition(formula: str) -> dict[str, float] | None:
    """Return the share of each element, as {"C": 0.27, "O": 0.73} of "CO2"; None of what is no
    formula."""
    written = formula.strip()[:_LONGEST]
    ion = _ION.fullmatch(written)
    atoms = _atoms(ion[1] if ion else _CHARGE.sub("", written))
    if atoms is None or not atoms.keys() <= _WEIGHTS.keys():
        return None
    weights = {element: count * _WEIGHTS[element] for element, count in atoms.items()}
    total = sum(weights.values())
    return {element: weight / total for element, weight in weights.items()} if total else None


def _atoms(written: str) -> Counter[str] | None:
    """Return how many there are of each element."""
    while group := _GROUP.search(written):
        inner = "".join(f"{one}{n * int(group[2] or 1)}" for one, n in _counted(group[1]))
        written = written[: group.start()] + inner + written[group.end() :]
    found = Counter[str]()
    for part in _BETWEEN.split(written):
        several = part.lstrip("0123456789")
        if not _ATOMS.fullmatch(several):
            return None
        times = int(part[: len(part) - len(several)] or 1)
        for element, count in _counted(several):
            found[element] += count * times
    return found


def _counted(atoms: str) -> list[tuple[str, int]]:
    return [(element, int(count or 1)) for element, count in _ATOM.findall(atoms)]
