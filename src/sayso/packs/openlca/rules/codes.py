"""What each rule says where it is broken: how grave that is, the sentence, and the remedy."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import partial

from sayso.core.digest import JsonObject
from sayso.packs.openlca.rules.subject import CheckedExchange


class Severity(StrEnum):
    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


@dataclass(frozen=True, slots=True, kw_only=True)
class Issue:
    code: str
    severity: Severity
    message: str
    #: The internal id of the exchange that it is about.
    exchange: int | None = None
    fix: str = ""

    def as_json(self) -> JsonObject:
        return {
            "code": self.code,
            "severity": self.severity.value,
            "message": self.message,
            "path": f"exchanges/{self.exchange}" if self.exchange is not None else "",
            "fix": self.fix,
        }


#: What a rule yields.
Issues = Iterator[Issue]


@dataclass(frozen=True, slots=True)
class RuleText:
    """`{name}` in its words is the flow's; what else they need, the rule knows."""

    severity: Severity
    message: str
    fix: str = ""


def broken(
    code: str,
    line: CheckedExchange | None = None,
    *,
    severity: Severity | None = None,
    exchange: int | None = None,
    **words: object,
) -> Issue:
    """Return what is to be told of a broken rule, and at which exchange."""
    rule = RULES[code]
    if line is not None:
        words["name"], exchange = line.name, line.id
    return Issue(
        code=code,
        severity=severity or rule.severity,
        message=rule.message.format(**words),
        exchange=exchange,
        fix=rule.fix.format(**words),
    )


_error = partial(RuleText, Severity.ERROR)
_warning = partial(RuleText, Severity.WARNING)
_info = partial(RuleText, Severity.INFO)
_NO_PROVIDER = "Input exchange for '{name}' has no default provider"
_REBUILD = "Make the product system anew"

RULES: dict[str, RuleText] = {
    # The process itself.
    "NAME_EMPTY": _warning("The process has no name", "Name the activity and product"),
    "CATEGORY_NONE": _info("The process is in no category"),
    "CATEGORY_BAD": _error(
        "The category '{category}' has an empty part", "Write it as parts with a slash between them"
    ),
    "DESC_MISSING": _info("The process has no description"),
    "LOCATION_NONE": _warning("The process has no location", "Give the process a location"),
    "LOCATION_TEXT": _warning(
        "The location '{place}' is a text, and means {means}", "Set the location to {means}"
    ),
    "LOCATION_INVALID": _error(
        "The location '{place}' is not in the database", "Choose a location of the database"
    ),
    "DOC_TIME": _info("The documentation says nothing of the time"),
    "DOC_GEO": _info("The documentation says nothing of the geography"),
    "DOC_TECH": _info("The documentation says nothing of the technology"),
    "DOC_SOURCE": _info("The documentation says nothing of the source"),
    "LIBRARY_RO": _warning(
        "The process is of the library '{library}', which cannot be changed",
        "Copy the process before you add to it",
    ),
    "DQ_SYSTEM": _error(
        "The data quality system '{system}' is not in the database",
        "Import the data quality system, or choose another one",
    ),
    # Its quantitative reference, and its sides.
    "QREF_NONE": _error(
        "The process has no quantitative reference",
        "Mark its product output as the quantitative reference",
    ),
    "QREF_MULTI": _error(
        "The process has {count} quantitative references: {names}",
        "Keep one quantitative reference",
    ),
    "QREF_DIRECTION": _error(
        "The quantitative reference '{name}' is not a product output or waste input",
        "Make a product output, or a waste input, the quantitative reference",
    ),
    "QREF_ZERO": _error(
        "The amount of the quantitative reference '{name}' is 0",
        "Give the quantitative reference an amount above 0",
    ),
    "QREF_NEGATIVE": _warning(
        "The amount of the quantitative reference '{name}' is negative",
        "Check the sign of the quantitative reference",
    ),
    "NO_EXCHANGES": _error("The process has no exchanges", "Add its exchanges"),
    "NO_INPUTS": _warning(
        "The process has no inputs, so what it makes costs nothing", "Add what it takes in"
    ),
    # Each exchange: its flow and its measure.
    "FLOW_MISSING": _error(
        "The flow '{name}' is not in the database", "Search for the flow, or create it"
    ),
    "FLOW_TYPE_NONE": _error(
        "The flow '{name}' has no type or no reference property", "Edit the flow '{name}'"
    ),
    "FPF_REF_NOT_1": _error(
        "The factor of the reference property of '{name}' is not 1", "Edit the flow '{name}'"
    ),
    "FPF_ZERO": _error("{mistake}", "{remedy}"),
    "FP_NOT_OF_FLOW": _error("{mistake}", "{remedy}"),
    "UNIT_NOT_IN_GROUP": _error("{mistake}", "{remedy}"),
    "UNIT_MISSING": _warning(
        "The exchange of '{name}' has no unit; the reference unit is taken", "Give '{name}' a unit"
    ),
    "UNIT_FACTOR": _error(
        "The unit '{unit}' has an invalid conversion factor", "Edit the unit group '{group}'"
    ),
    "UNIT_AMBIGUOUS": _warning(
        "'{unit}' is the name of {times} units in '{group}'", "Choose the unit by its id"
    ),
    "CURRENCY": _error(
        "The costs of '{name}' are in a currency that is not in the database",
        "Choose a currency of the database for '{name}'",
    ),
    # … its amount,
    "AMOUNT_NAN": _error("The amount of '{name}' is not a number", "Give '{name}' an amount"),
    "AMOUNT_ZERO": _warning(
        "The amount of '{name}' is 0", "Fill in the amount of '{name}', or remove it"
    ),
    "AMOUNT_NEG": _warning(
        "The amount of '{name}' is negative",
        "Turn the direction of '{name}' round, or mark it as avoided",
    ),
    "AMOUNT_OUTLIER": _warning(
        "The amount of '{name}' is over a million times the reference's",
        "Check the unit of '{name}'",
    ),
    "UNCERT_NONE": _info("{count} of {of} exchanges have no uncertainty"),
    "UNCERT_BAD": _warning(
        "The uncertainty of '{name}' cannot be", "Correct the uncertainty of '{name}'"
    ),
    "DQ_ENTRY": _warning(
        "The data quality entry of '{name}' has {given} scores, and its system {wanted} indicators",
        "Give '{name}' one score for each indicator",
    ),
    "FORMULA_BAD": _error(
        "The formula of the {what} cannot be computed: {why}", "Correct the formula '{formula}'"
    ),
    "FORMULA_VALUE": _warning(
        "The formula of the {what} gives {value:g}, and {stored:g} is stored",
        "Compute '{formula}' anew",
    ),
    "PARAM_BAD": _error("'{parameter}' is {what}", "Rename the parameter '{parameter}'"),
    # … its number and its side,
    "INTERNAL_ID_NONE": _error(
        "The exchange of '{name}' has no internal id", "Number the exchanges"
    ),
    "INTERNAL_ID_DUP": _error("The internal id {number} is used twice", "Number the exchanges"),
    "INTERNAL_ID_GT_LAST": _error(
        "The internal id {number} is larger than the last one, {last}", "Number the exchanges"
    ),
    "DUP_EXCHANGE": _warning(
        "'{name}' stands twice as an {side}", "Add up the amounts of '{name}'"
    ),
    "SELF_INPUT": _warning(
        "The process takes in its own product '{name}'", "Use the net amount of '{name}'"
    ),
    "SAME_FLOW_IN_OUT": _warning(
        "'{name}' goes in and comes out", "Check the direction of '{name}'"
    ),
    "ELEM_DIRECTION": _warning("'{name}': the {what}", "Turn the direction of '{name}' round"),
    "ELEM_NOT_IN_METHOD": _info("No factor of {method} is for the emissions {names}"),
    "AVOIDED_SIGN": _warning(
        "'{name}' is avoided, and stored on the wrong side",
        "Store an avoided product as an input, and an avoided waste as an output",
    ),
    # … and its provider.
    "PROVIDER_NONE": _warning(_NO_PROVIDER, "Set the provider of '{name}'"),
    "PROVIDER_AMBIGUOUS": _warning(
        f"{_NO_PROVIDER}, and {{count}} processes make it: openLCA takes the first",
        "Choose a provider of '{name}'",
    ),
    "PROVIDER_NO_CANDIDATE": _warning(
        f"{_NO_PROVIDER}, and no process makes it", "Add or import a process that makes '{name}'"
    ),
    "PROVIDER_INVALID": _error(
        "The default provider of '{name}' does not provide it", "Choose a provider of '{name}'"
    ),
    "PROVIDER_ON_ELEMENTARY": _warning(
        "The elementary flow '{name}' has a provider, which is ignored",
        "Remove the provider of '{name}'",
    ),
    "PROVIDER_ON_OUTPUT": _warning(
        "The output '{name}' has a provider, which is ignored", "Remove the provider of '{name}'"
    ),
    "PROVIDER_LOCATION": _info("'{name}' comes from {there}, the process is in {here}"),
    "PROVIDER_TYPE_MIX": _info("The provider of '{name}' is a system process"),
    "WASTE_OUT_NO_TREATMENT": _warning(
        "The waste '{name}' has no treatment", "Choose a treatment of '{name}'"
    ),
    "CYCLE": _info("The process needs its own product through others: {path}"),
    "CUTOFF_DOC": _info("Nobody provides {names}, and the documentation says nothing of that"),
    # All together.
    "MULTI_OUTPUT_NO_ALLOC": _warning(
        "The process makes {count} products and has no allocation", "Choose an allocation method"
    ),
    "ALLOC_PROPERTY": _error(
        "'{name}' has no mass to allocate by",
        "Give '{name}' a mass factor, or choose another method",
    ),
    "ALLOC_REF": _error(
        "An allocation factor names a product or exchange that is not there",
        "Compute the allocation factors anew",
    ),
    "ALLOC_SUM": _error(
        "The allocation factors ({kind}) sum up to {total:g}, not to 1",
        "Compute the allocation factors anew",
    ),
    "MASS_BALANCE": _warning(
        "{into:g} kg go in and {out:g} kg come out, {apart:.0%} apart",
        "Adjust the amounts, or add wastes and emissions",
    ),
    "ENERGY_BALANCE": _info("{into:g} MJ go in and {out:g} MJ come out"),
    "ELEMENT_BALANCE": _info("{into:g} kg of {element} go in and {out:g} kg come out"),
    # A product system.
    "SYS_QREF": _error(
        "The product system has no reference process with this quantitative reference",
        _REBUILD,
    ),
    "SYS_TARGET_ZERO": _error("The amount of the product system is 0", "Give it an amount"),
    "SYS_UNIT": _error("The unit of the product system is not one of its product's", _REBUILD),
    "SYS_LINK_PROVIDER": _error(
        "The provider {provider} of a link is no process of the database", _REBUILD
    ),
    "SYS_LINK_PROCESS": _error("The process {process} of a link is not in the database", _REBUILD),
    "SYS_LINK_EXCHANGE": _error(
        "A link names the exchange {number} of '{process}', which does not take in its flow",
        _REBUILD,
    ),
    "SYS_LINK_FLOW": _error(
        "'{provider}' does not provide the flow that it is linked for", _REBUILD
    ),
    "SYS_NO_LINKS": _warning(
        "The product system has no links", "Set the providers, and link again"
    ),
}
