"""The rules of language, names and places of tests find what they are made for, and leave everything else alone."""

import pytest
from language import fields_without_a_noun, first_lines_without_a_noun, indefinite_numbers, negated_nouns
from mirrored import modules_without_tests
from names import names_with_two_meanings

NO, MANY = "no", "many"  # not in the texts themselves, which the rules read, too


def documented(first, field=""):
    return f'''def f():
    """{first}

    Parameters
    ----------
    {field}
    """
'''


@pytest.mark.parametrize("first", ["Of two matrices.", "By what it grows", "What tuning gave.", "Where it stands"])
def test_a_first_line_without_its_noun_is_found_in_functions_classes_and_files(first):
    sources = documented(first), f'class A:\n    """{first}"""\n', f'"""{first}"""\n'
    assert [first_lines_without_a_noun({"a.py": source}) for source in sources] == [
        [f"a.py:{line}: {first}"] for line in (2, 2, 1)
    ]


@pytest.mark.parametrize("first", ["Outcome of a tuning.", "Whether it stands", "Office hours", "Returns what is left"])
def test_a_first_line_with_its_noun_or_verb_is_left_alone(first):
    assert first_lines_without_a_noun({"a.py": documented(first)}) == []


@pytest.mark.parametrize(
    ("field", "wrong"),
    [
        ("noise : of the ratings", True),
        ("rows, cols : by what they are multiplied", True),
        ("*texts : where they stand", True),
        ("noise : float\n        By what it grows.", True),
        ("noise : float\n        Factor by which it grows.", False),
        ("noise : variance of the ratings", False),
        ("noise : office", False),
        ("noise : float\n        Variance, as of now: what is left.", False),
    ],
)
def test_a_field_without_its_noun_is_found(field, wrong):
    found = fields_without_a_noun({"a.py": documented("Draws.", field)})
    assert found == ([f"a.py:2: {' '.join(field.split())}"] if wrong else [])


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (f"This is {NO} number.", 1),
        (f"\nThese are\n    {NO} numbers.", 2),
        (f"# a file that was\n# {NO} table", 1),
        (f'say("this is "\n    "{NO} table")', 1),
        (f"def test_a_text_that_is_{NO}_number():", 1),
        (f"It is {NO} safe file.", 1),
        (f"It is {NO} number.", 1),  # which ends like a comparative
    ],
)
def test_what_is_said_to_be_none_is_found(text, line):
    [found] = negated_nouns({"a.py": text})
    assert found.startswith(f"a.py:{line}: ") and NO in found


@pytest.mark.parametrize(
    "text",
    [
        f"There is {NO} number.",
        f"there are\n    {NO} numbers",
        f"test_there_was_{NO}_number",
        f"It is {NO} longer there, was {NO} slower, and is {NO} more.",
        f"It is not a number; {NO} cell is empty.",
        f"This has {NO} noun.",
        f"This {NO} number.",
    ],
)
def test_english_is_left_alone(text):
    assert negated_nouns({"a.md": text}) == []


@pytest.mark.parametrize("text", ["A pool of so {} jobs.", "test_so_{}_steps_later", 'f("of so "\n  "{} entries; it")'])
def test_a_number_that_is_called_so_and_so_is_found(text):
    [found] = indefinite_numbers({"a.py": text.format(MANY)})
    assert found.startswith("a.py:1: ") and MANY in found


def test_a_multitude_with_a_consequence_is_english():
    assert indefinite_numbers({"a.py": f"so {MANY} ratings are hidden that\nnone is left"}) == []


@pytest.mark.parametrize(
    ("files", "wrong"),
    [
        ({"metamf/a.py": "class Run: ...", "metamf/b.py": "class Run: ..."}, True),
        ({"metamf/a.py": "class Run: ...", "benchmarks/b.py": "class Run: ..."}, True),
        ({"metamf/a.py": "def Run(): ...", "metamf/b.py": "Run, other = 1, 2"}, True),  # within the library
        ({"metamf/a.py": "def Run(): ...", "metamf/webapp/b.py": "Run: int = 1"}, False),
        (  # a reader of c.py and d.py cannot tell them apart
            {
                "metamf/webapp/a.py": "def Run(): ...",
                "metamf/webapp/b.py": "Run = 1",
                "metamf/webapp/c.py": "from metamf.webapp.a import Run",
                "benchmarks/d.py": "def later():\n    from metamf.webapp.b import Run",
            },
            True,
        ),
        (
            {
                "metamf/webapp/a.py": "def Run(): ...",
                "metamf/webapp/b.py": "Run = 1",
                "metamf/webapp/c.py": "from metamf.webapp.a import Run",
                "benchmarks/d.py": "from metamf.webapp import b\nfrom metamf.webapp.b import Run as Other",
            },
            False,
        ),
        ({"metamf/a.py": "class _Run: ...\nSPEC = 1", "metamf/b.py": "class _Run: ...\nSPEC = 1"}, False),
    ],
)
def test_a_name_of_two_meanings_is_found(files, wrong):
    paths = ", ".join(path for path in sorted(files) if "import" not in files[path])
    assert names_with_two_meanings(files) == ([f"Run: {paths}"] if wrong else [])


MIRRORED = {"metamf/a.py": "NAME = 1", "metamf/room/b.py": "", "metamf/room/style.py": ""}
MIRRORED |= {"metamf/room/__init__.py": "", "pages/p.py": "from metamf.room.b import x", "benchmarks/c.py": ""}


@pytest.mark.parametrize(
    ("tests", "elsewhere", "wrong"),
    [
        ({}, {}, "its tests belong into tests/room/test_style.py"),
        ({"tests/test_style.py": ""}, {}, "its tests belong into tests/room/test_style.py"),  # another folder
        ({"tests/room/test_style.py": ""}, {}, None),
        ({}, {"metamf/room/style.py": "tests/x.py"}, "there is no file tests/x.py"),
        ({"tests/x.py": "anything"}, {"metamf/room/style.py": "tests/x.py"}, "tests/x.py names neither it"),
        ({"tests/x.py": "from metamf.room import style"}, {"metamf/room/style.py": "tests/x.py"}, None),
        ({"tests/x.py": "from metamf.room.style import y"}, {"metamf/room/style.py": "tests/x.py"}, None),
        ({"tests/room/test_style.py": ""}, {"metamf/room/style.py": "tests/x.py"}, "has tests of its own"),
        ({"tests/room/test_style.py": ""}, {"metamf/gone.py": "tests/x.py"}, "there is no such module"),
    ],
)
def test_a_module_without_tests_is_found_and_an_entry_that_is_not_true(tests, elsewhere, wrong):
    tests = tests | {"tests/test_a.py": "", "tests/room/test_b.py": ""}
    found = modules_without_tests(MIRRORED, tests, elsewhere)
    assert [wrong in line for line in found] == [True] if wrong else found == []


def test_a_page_stands_for_what_it_is_made_with_and_a_name_for_its_module():
    elsewhere = {"metamf/a.py": "tests/x.py", "metamf/room/b.py": "tests/pages/test_p.py"}
    tests = {"tests/room/test_style.py": "", "tests/x.py": "NAME", "tests/pages/test_p.py": ""}
    assert modules_without_tests(MIRRORED, tests, elsewhere) == []
    moved = elsewhere | {"metamf/room/b.py": "tests/x.py"}
    tests["tests/x.py"] += ' "pages/p.py"'
    assert modules_without_tests(MIRRORED, tests, moved) == []
    tests["tests/x.py"] = 'NAME "pages/q.py"'
    assert len(modules_without_tests(MIRRORED, tests, moved)) == 1
