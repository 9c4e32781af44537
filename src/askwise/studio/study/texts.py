"""The texts that people read in a study and while they play: for each language, a table from keys to texts.

English and German texts come with askwise (``texts/en.toml``, ``texts/de.toml``). A study file can replace and add
texts, in a table such as ``[texts.de]`` or in a file (``texts.de = "german.toml"``). The first language that it names
is the default.

Some keys only translate other texts: those of the study (such as ``study.consent``), words and names of problem files
(``word.helper``), and questions of ready-made scales (``scale.`` ...). Without a translation, these texts appear as
they are.
"""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from askwise.errors import InputError, did_you_mean
from askwise.text.data import parse_toml
from askwise.text.files import read_text
from askwise.text.reading import Field

LANGUAGES = {"en": "English", "de": "Deutsch"}
"""The languages of the package, by their codes, in their own words."""
OWN = ("study.", "word.")
"""The beginnings of keys that translate a study's own texts, and the words of its problems."""
PLACEHOLDER = re.compile(r"\{(\w+)\}")
Texts = dict[str, str]


@cache
def package_texts(language: str) -> Texts:
    """Return askwise's own texts in a language as a dict by key; in English if askwise has none in that language.

    `language` is the code of the language, such as ``de``.
    """
    name = f"{language if language in LANGUAGES else 'en'}.toml"
    return flattened(parse_toml(files("askwise.studio").joinpath("texts", name).read_text(encoding="utf-8")))


def flattened(given: Any, path: str = "") -> Texts:
    """Return all texts in nested tables and lists as one dict, with dotted paths as keys.

    ``{"page": ["a", "b"]}`` becomes ``{"page.1": "a", "page.2": "b"}``. If `path` is not empty, all keys begin with it
    and a dot.
    """
    if isinstance(given, str):
        return {path: given}
    if isinstance(given, list):
        given = dict(enumerate(given, start=1))
    if not isinstance(given, dict):
        raise InputError(f"texts.{path}", repr(given), "a text")
    found: Texts = {}
    for key, each in given.items():
        found |= flattened(each, f"{path}.{key}" if path else str(key))
    return found


def filled_text(text: str, **values: object) -> str:
    """Return `text` with each placeholder, such as ``{places}``, replaced by the argument of the same name.

    Placeholders without such an argument stay as they are.
    """
    return PLACEHOLDER.sub(lambda found: str(values.get(found[1], found[0])), text)


def read_languages(root: Field) -> dict[str, Texts]:
    """Return the texts of a study as ``texts[language][key]``; the first language is the default.

    The texts of the study file replace or supplement those of askwise. `root` is the contents of the study file.
    """
    languages = ["en"]
    if root.has("languages"):
        languages = [each.text() for each in root.child("languages").elements()]
        if not languages or len(set(languages)) < len(languages):
            raise root.child("languages").refuse("at least one language, each once")
    given = root.child("texts").object([], languages) if root.has("texts") else None
    found = {}
    for language in languages:
        own = given is not None and given.has(language)
        if language not in LANGUAGES and not own:
            raise InputError("languages", repr(language), f"one of {', '.join(LANGUAGES)}, or a table texts.{language}")
        found[language] = package_texts(language) | (_own(given.child(language)) if given and own else {})
    return found


def _own(given: Field) -> Texts:
    """Return the texts that a study file states for one language, as a dict by key.

    The field `given` is a table, or the name of a TOML file. Raises `InputError` for an unknown key or placeholder, and
    for an empty text.
    """
    contents = given.value
    if isinstance(contents, str):
        contents = parse_toml(read_text((given.folder or Path()) / contents))
    # The English wording of scales is in `questionnaires`; the German table has the keys of its translation.
    found, known = flattened(contents), {**package_texts("de"), **package_texts("en")}
    for key, text in found.items():
        path = f"{given.path}.{key}"
        if not text.strip():
            raise InputError(path, "an empty text", "a text")
        if key.startswith(OWN):
            continue
        if key not in known:
            raise InputError(path, "an unknown text", f"a key of the package's texts{did_you_mean(key, known)}")
        allowed = PLACEHOLDER.findall(known[key])
        wrong = [name for name in PLACEHOLDER.findall(text) if name not in allowed]
        if wrong:
            raise InputError(path, f"{{{wrong[0]}}}", f"only {', '.join(allowed) or 'no placeholders'} in braces")
    return found
