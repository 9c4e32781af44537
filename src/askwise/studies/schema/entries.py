"""What the lists in a study file have in common: nothing stands in them twice, and entries may have labels."""

from __future__ import annotations

from typing import Any

from askwise.errors import InputError
from askwise.text.limits import read_name
from askwise.text.reading import Field


def distinct(field: Field, values: list[Any], labels: list[Any]) -> list[Any]:
    """Return the values of a list; refuse an empty one, and one with two of the same label."""
    if not values:
        raise field.refuse("at least one")
    for k, label in enumerate(labels):
        if label in labels[:k]:
            raise InputError(f"{field.path}[{k}]", f"{label!r} for the second time", "each one once")
    return values


def chosen_label(field: Field, default: str) -> str:
    """Return the label that something in a study file has, or the default."""
    if not field.has("label"):
        return default
    label = field.child("label")
    if not label.text().strip():
        raise label.refuse("at least one letter")
    return read_name(label)
