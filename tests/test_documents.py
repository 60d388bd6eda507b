"""What the documents say, against the source: Elo, links, pictures, commands and files."""

import re
import shlex
from pathlib import Path

import pytest

from tests.support.paths import ROOT
from zobra.cli.command_line import COMMANDS, load

DOCS = ROOT / "docs"
DOCUMENTS = sorted(
    [
        *ROOT.glob("*.md"),
        *(ROOT / ".github").rglob("*.md"),
        *DOCS.glob("*.md"),
    ]
)
CODE_BLOCK = re.compile(r"^```(\w*)[^\n]*\n(.*?)^```", re.DOTALL | re.MULTILINE)
CODE_SPAN = re.compile(r"`([^`\n]+)`")
HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)
LINK = re.compile(r"\]\((?!https?:)([^)\s]+)\)")
STEP = re.compile(r"^ *# Step (\d+)(?: \(.*?\))?\. (.*(?:\n *#.*)*)", re.MULTILINE)
ELO = re.compile(r"\+(\d+)")
# Folders of the repository whose files documents name
FOLDERS = "api|arena|benchmarks|cli|docs|engine|examples|search|tests|train|tt|uci"


def read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def prose(path: Path) -> str:
    """A document without its blocks of code."""
    return CODE_BLOCK.sub("", read(path))


def anchors(path: Path) -> set[str]:
    """What links can name in a document: its headings, as GitHub and MkDocs write them."""
    found = set()
    for heading in HEADING.findall(prose(path)):
        words = re.sub(r"[^\w\- ]", "", heading.lower().replace("`", ""))
        found.add(re.sub(r"[ -]+", "-", words).strip("-"))
    return found


def sections(text: str, title: str) -> dict[str, str]:
    """The sections of a document by what follows a title in their headings."""
    parts = re.split(rf"^#+ (?:{title} (\w+)\. )?(?=\S)", text, flags=re.MULTILINE)
    return {number: part for number, part in zip(parts[1::2], parts[2::2], strict=True) if number}


def ablation() -> list[int]:
    """The Elo of the table of ablations."""
    text = read(DOCS / "strength.md")
    return [int(elo) for elo in re.findall(r"\| \+(\d+) ± \d+ \|$", text, re.MULTILINE)]


def test_search_states_the_steps_and_the_elo_of_the_source():
    source = read(ROOT / "search" / "negamax.py")
    headings = STEP.findall(source)
    blocks = re.findall(r"^ *# Step .*(?:\n *#.*)*", source, re.MULTILINE)
    described = sections(read(DOCS / "search.md"), "Step")
    assert [number for number, _ in headings] == list(described) and len(described) >= 10
    for (number, title), block in zip(headings, blocks, strict=True):
        section = described[number]
        heading = section.splitlines()[0].partition(" (")[0]
        assert title.startswith(heading), (number, heading)
        assert ELO.findall(section) == ELO.findall(block), number


def test_every_elo_of_the_search_is_in_the_table_of_ablations():
    stated = [int(elo) for elo in ELO.findall(read(DOCS / "search.md"))]
    assert len(stated) >= 8 and sorted(stated) == sorted(ablation())


def test_links_lead_to_documents_and_headings():
    found = 0
    for document in DOCUMENTS:
        for target in LINK.findall(prose(document)):
            path, _, anchor = target.partition("#")
            linked = document.parent / path if path else document
            assert linked.exists(), (document, target)
            assert not anchor or anchor in anchors(linked), (document, target)
            found += 1
    assert found >= 30


def test_every_picture_is_shown():
    shown = {
        (document.parent / target).resolve()
        for document in DOCUMENTS
        for target in LINK.findall(read(document))
    }
    for picture in DOCS.rglob("*"):
        if picture.suffix in (".png", ".svg", ".gif", ".jpg"):
            assert picture.resolve() in shown


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_files_that_a_document_names_exist(document):
    if document.name == "CHANGELOG.md":
        return  # names what has gone, too
    for span in CODE_SPAN.findall(prose(document)):
        name = span.split()[-1] if span.startswith("python ") else span.split()[0]
        name = name.rstrip("/").partition(":")[0]
        if re.fullmatch(rf"(?:{FOLDERS})/[\w./-]+", name):
            assert (ROOT / name).exists(), (document.name, span)


def test_contributing_names_every_benchmark():
    named = re.findall(
        r"^\| `benchmarks/(\w+\.py)` \|", read(ROOT / "CONTRIBUTING.md"), re.MULTILINE
    )
    assert sorted(named) == sorted(path.name for path in (ROOT / "benchmarks").glob("*.py"))


def zobra_commands(document: Path) -> list[list[str]]:
    """The words of the commands `zobra …` in a document, in blocks and in running text."""
    text = read(document)
    lines = [line.strip() for _, block in CODE_BLOCK.findall(text) for line in block.splitlines()]
    lines += re.findall(r"^    (\S.*)$", text, re.MULTILINE)
    lines += CODE_SPAN.findall(prose(document))
    found = []
    for line in lines:
        for command in re.split(r" && | \| ", line):
            if re.match(r"(\S*/)?zobra \S", command) and "…" not in command:
                found.append(shlex.split(command, comments=True)[1:])
    return found


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_commands_that_a_document_names_exist(document):
    """Every `zobra COMMAND --option` is known; README's are run (test_readme.py)."""
    if document.name == "CHANGELOG.md":
        return  # names what has been renamed, too
    for words in zobra_commands(document):
        rest = words[2:] if words[0] == "--network" else words
        if not rest or rest[0].startswith("-"):
            continue
        assert rest[0] in COMMANDS, words
        command = load(COMMANDS[rest[0]])
        rest = rest[1:]
        if hasattr(command, "commands") and rest:
            assert rest[0] in command.commands, words
            command = command.commands[rest[0]]
            rest = rest[1:]
        known = {"--help", "-h"}
        for parameter in command.params:
            known |= {*parameter.opts, *parameter.secondary_opts}
        for word in rest:
            if re.match(r"--?[a-zA-Z]", word):
                assert word.partition("=")[0] in known, words
