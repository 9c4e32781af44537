"""List the examples that come with askwise, or copy one.

Every command that takes a file also takes the name of an example, unless there is a file of
that name. Copy an example to change it.

  askwise examples
  askwise examples ward -o mine.toml
  askwise examples ward
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
from pathlib import Path

from askwise.cli.common import show
from askwise.errors import InputError
from askwise.text.files import EXAMPLES, examples_folder, find_example
from askwise.text.wording import aligned


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``askwise examples``."""
    parser.add_argument("name", metavar="NAME", nargs="?", help="the example to print or copy (default: list all)")
    parser.add_argument("-o", "--output", metavar="FILE", help="copy the example to this file or folder")
    parser.add_argument("--force", action="store_true", help="overwrite an existing file")
    parser.add_argument("--json", action="store_true", help="print the list as JSON")


def run(options: argparse.Namespace) -> int:
    """Run ``askwise examples``: list the examples, or print or copy one; return exit code 0."""
    if options.name is None:
        if options.output is not None:
            raise InputError("--output", "no NAME", "the name of the example to copy as well")
        if options.json:
            print(as_json())
        else:
            show(to_text())
        return 0
    source = examples_folder() / find_example(options.name).file
    if options.output is not None:
        copy(source, options.output, force=options.force)
        print(f"Written: {options.output}")
    elif source.is_dir():
        files = ", ".join(sorted(each.name for each in source.iterdir()))
        raise InputError("NAME", f"a folder of files ({files})", "-o FOLDER as well, to copy it")
    else:
        sys.stdout.write(source.read_text(encoding="utf-8"))
    return 0


def copy(source: Path, target: str, *, force: bool) -> None:
    """Copy the file or folder of an example; raise an InputError if `target` exists and `force` is False.

    A file that names other examples (words.toml reads the folder words) is copied together with them.
    """
    from askwise.text.files import reason, whole_file

    place = Path(target)
    if "\0" not in target and place.exists() and not force:
        raise InputError("--output", f"{target!r}, which exists", "another name, or --force to overwrite it")
    if not source.is_dir():
        with whole_file(target) as temporary:
            temporary.write_bytes(source.read_bytes())
    folders = (
        [(source, place)]
        if source.is_dir()
        else [(examples_folder() / each, place.parent / each) for each in needed(source)]
    )
    for found, copied in folders:
        try:
            shutil.copytree(found, copied, dirs_exist_ok=force or found != source)
        except OSError as error:
            raise InputError("--output", reason(error), "a place that can be written to") from None


def needed(source: Path) -> list[str]:
    """Return the names of the folders of examples that the file of an example reads."""
    text = source.read_text(encoding="utf-8")
    return [
        each.file for each in EXAMPLES.values() if f'"{each.file}"' in text and (examples_folder() / each.file).is_dir()
    ]


def to_text() -> str:
    """Return the list of examples as text: the name, what it is, and a command to try."""
    rows = [
        ("name", "what it is", "try"),
        *((key, each.about, f"askwise {each.command}") for key, each in EXAMPLES.items()),
    ]
    return "\n".join(line[2:] for line in aligned(rows, whole=(2,)))


def as_json() -> str:
    """Return the list of examples as JSON: names, files, descriptions and commands."""
    rows = [
        {
            "name": key,
            "file": str(examples_folder() / each.file),
            "about": each.about,
            "command": f"askwise {each.command}",
        }
        for key, each in EXAMPLES.items()
    ]
    return json.dumps(rows, ensure_ascii=False)
