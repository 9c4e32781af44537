"""The conditions of a study file, but for the methods: priors, prices, teammates and answers."""

from __future__ import annotations

from collections.abc import Iterator

from askwise.core.answers import AnswerModel
from askwise.core.question_json import parse_answers
from askwise.core.teammates import make_teammate
from askwise.domains.registry import names
from askwise.errors import InputError
from askwise.studies.schema.instances import DEFAULT_DOMAIN, chosen_label, distinct
from askwise.studies.schema.studied import studies_of
from askwise.studies.schema.study import FROM_FILE, Exactly, StudyPrior
from askwise.text.limits import read_price
from askwise.text.reading import Field


def read_priors(root: Field, domain_name: str | None, from_files: bool) -> tuple[StudyPrior, ...]:
    """Return the priors of a study; instances from files have one of their own, which is the default there.

    As long as nobody knows of which domain the files are, any prior is one that some domain has.
    """
    known = _any_kind() if domain_name is None else studies_of(domain_name).prior_kinds
    kinds = (*known, FROM_FILE) if from_files else known
    if not root.has("priors"):
        default = FROM_FILE if from_files else known[0]
        return (StudyPrior(default, default),)
    found = [_prior(element, kinds) for element in root.child("priors").elements()]
    return tuple(distinct(root.child("priors"), found, [prior.label for prior in found]))


def _any_kind() -> tuple[str, ...]:
    return tuple(dict.fromkeys(kind for name in names() for kind in studies_of(name).prior_kinds))


def _prior(field: Field, kinds: tuple[str, ...]) -> StudyPrior:
    if not isinstance(field.value, dict):
        kind = field.text(kinds)
        return StudyPrior(kind, kind)
    field.object(("kind",), ("temperature", "label"))
    kind = field.child("kind").text(kinds)
    temperature = field.child("temperature").number(above=0) if field.has("temperature") else 1.0
    default = kind if temperature == 1 else f"{kind}, T={temperature:g}"
    return StudyPrior(chosen_label(field, default), kind, temperature)


def read_exactly(root: Field, priors: tuple[StudyPrior, ...]) -> Exactly:
    """Return where expected costs are to be computed exactly."""
    if not root.has("exact"):
        return Exactly()
    field = root.child("exact").object(("instances",), ("priors",))
    labels = [prior.label for prior in priors]
    chosen = [each.text(labels) for each in field.child("priors").elements()] if field.has("priors") else labels
    return Exactly(field.child("instances").whole(0), tuple(chosen))


def read_costs(root: Field, from_files: bool) -> tuple[tuple[float | None, ...], tuple[float | None, ...]]:
    """Return the base costs and the per-station costs of a study; None is what the instance's file says."""
    return _base_costs(root, from_files), _costs(root, "per_station_costs", None if from_files else 0.0)


def _base_costs(root: Field, from_files: bool) -> tuple[float | None, ...]:
    if root.has("base_cost") and root.has("base_costs"):
        raise InputError("base_cost", "base_costs as well", "one of the two")
    if root.has("base_cost"):
        return (read_price(root.child("base_cost")),)
    return _costs(root, "base_costs", None if from_files else 0.5)


def _costs(root: Field, key: str, default: float | None) -> tuple[float | None, ...]:
    if not root.has(key):
        return (default,)
    costs = [read_price(element) for element in root.child(key).elements()]
    return tuple(distinct(root.child(key), costs, costs))


def read_teammates(root: Field, domain_name: str | None) -> Iterator[str]:
    """Yield the teammates of a study, each made once to see that it can be.

    By default it is the one that each problem describes; in tool fetching, where all describe the same, by its name.
    """
    if not root.has("teammates"):
        yield "urop" if domain_name == DEFAULT_DOMAIN else "policy"
        return
    names = [element.text() for element in root.child("teammates").elements()]
    for k, name in enumerate(distinct(root.child("teammates"), names, names)):
        try:
            make_teammate(name)
        except InputError as error:
            raise InputError(f"teammates[{k}]", error.found, error.expected) from None
        yield name


def read_answers(root: Field) -> tuple[AnswerModel | None, ...]:
    """Return how questions are answered in a study; None is what the instance's file says."""
    if not root.has("answers"):
        return (None,)
    found = []
    for k, element in enumerate(root.child("answers").elements()):
        try:
            found.append(parse_answers(element.text()))
        except InputError as error:
            raise InputError(f"answers[{k}]", error.found, error.expected) from None
    return tuple(distinct(root.child("answers"), found, [str(model) for model in found]))
