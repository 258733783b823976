"""The rules of language find what they are made for, and leave English alone."""

import pytest
from language import fields_without_a_noun, first_lines_without_a_noun, negated_nouns

NO = "no"  # not in the texts themselves, which the rule reads, too


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
        ("noise : variance of the ratings", False),
        ("noise : office", False),
        ("noise : float\n        Variance, as of now: what is left.", False),
    ],
)
def test_a_field_without_its_noun_is_found(field, wrong):
    found = fields_without_a_noun({"a.py": documented("Draws.", field)})
    assert found == ([f"a.py:2: {field}"] if wrong else [])


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
