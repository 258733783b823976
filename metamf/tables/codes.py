"""Codes: how the cells of a column stand for numbers, and which code each column has.

Each code is an entry of ``CODES``. It reads texts, writes estimates as the column is written, and
has a length in bits, so that ``guess`` can choose the shortest description of a column. Its key is
text, the same in a plan, an edit and on the page: 'number', '{} %', '{}/10', 'labels', 'signs',
'time', 'places', 'sizes', 'accounts', 'flags', 'words never<rarely<often'. What a code does not
read stays as it is.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from math import isnan

import numpy as np

from metamf.tables.bits import number_bits, odd_bits, text_bits, word_bits
from metamf.tables.draft import DATES, Draft
from metamf.tables.numerals import A_NUMBER, FRACTIONS, TEXT, NumberFormat
from metamf.tables.scales import KNOWN, plain_word

PLAIN = "number"
MOST_WORDS = 16  # different words of a scale
_MOST_TEXTS = 2_000  # different ones of a column that are looked at
_LONGEST = 200  # characters of a text that stands for a number
_PRIOR = 10.0  # bits by which a code must be shorter than plain numbers and words
_DATE = re.compile(
    r"\d{1,4}([-/.])\s?\d{1,2}\1\s?\d{1,4}(?:[ T,_]+\d.{0,25})?"  # 2024-03-01 10:22:05, 1.3.2024
    r"|\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?\s*(?:[ap]\.?m\.?)?"  # 10:22, 9:01 am
    r"|\d{1,2}\s+[^\W\d]{3,9}\.?\s+\d{4}.{0,15}",  # 1 March 2024 9:00 AM
    re.IGNORECASE,
)
_LONGEST_DATE = 60  # characters
_LAST_HOUR = 23  # of a day; 34:12 is a duration
_NUMBERED = re.compile(r"[^\W\d_]{1,3}[\s_-]?(?=\d$)")  # A of A1, A2, A3
_LOOKED_AT = 50  # lines that tell whether other columns have times, too
Numbers = tuple[np.ndarray, np.ndarray, np.ndarray]  # different ones, their cells, their decimals


@dataclass(frozen=True)
class Reading:
    """How the texts of one column are read and written.

    code: the key of the code
    values: number of each text, without space around it, that is no plain number
    form: number format of the table
    plain: whether plain numbers count, too
    """

    code: str
    form: NumberFormat
    values: Mapping[str, float] = field(default_factory=dict)
    plain: bool = True

    @property
    def words(self) -> bool:
        """Whether only the texts that were read may be written."""
        return _entry(self.code).name in ("words", "places", "signs")

    def text(self, value: float, digits: int) -> str:
        """An estimate as the column is written."""
        return _entry(self.code).write(self, value, digits)

    def nearest(self, value: float) -> str:
        """The text whose number is nearest."""
        return min(self.values, key=lambda text: abs(self.values[text] - value))


def _write_number(reading: Reading, value: float, digits: int) -> str:
    return reading.form.text(value, digits)


def _write_nearest(reading: Reading, value: float, digits: int) -> str:
    return reading.nearest(value) if reading.values else reading.form.text(value, digits)


Reads = Callable[[Sequence[str], str, NumberFormat], dict[str, float]]


@dataclass(frozen=True)
class Code:
    """One code. ``read(texts, parameter, form)`` gives the number of each text that it reads;
    ``parameters(counts, form)`` the parameters that may fit a column, best first."""

    name: str
    read: Reads
    write: Callable[[Reading, float, int], str] = _write_number
    plain: bool = False  # whether plain numbers may stand next to its texts
    parameters: Callable[[Mapping[str, int], NumberFormat], Sequence[str]] = lambda *_: ("",)


def _matching(pattern: re.Pattern, value: Callable[[re.Match, NumberFormat], float]) -> Reads:
    """Reads the texts that a pattern matches, where the match has a ``value``."""

    def read(texts: Sequence[str], _: str, form: NumberFormat) -> dict[str, float]:
        matches = {text: match for text in texts if (match := pattern.fullmatch(text))}
        values = {text: value(match, form) for text, match in matches.items()}
        return {text: v for text, v in values.items() if not isnan(v)}

    return read


def _first_number(match: re.Match, form: NumberFormat) -> float:
    return form.value((match[1] or match[2]).rstrip(".,"))


# A number with something around it, the same in all cells: 85 %, $5, 8.5/10, 4.0 out of 5 stars.
_CURRENCY = re.compile(r"[^\W\d_]{1,3}[.$]?\s*")
_OUT_OF = re.compile(r"/\s*\d|[^\W\d_][^\d]*\d")


def _around(text: str) -> list[tuple[str, str, str]]:
    """Each way to see one number in a text: what is before it, the number, what is behind it."""
    return [(text[: m.start()], m[0], text[m.end() :]) for m in re.finditer(A_NUMBER, text)]


def _alike(before: str, after: str) -> tuple[str, ...]:
    """What is around a number, without spaces, case and plural."""
    parts = (re.sub(r"\s+", "", part.casefold()) for part in (before, after))
    return tuple(re.sub(r"(?<=[^\W\d]{2})(?:s|e|en|n)\.?$", "", part) for part in parts)


def _may_be_unit(before: str, number: str, after: str) -> bool:
    """Whether a number with this around it is an amount, not a name such as A4, 4a or #12, a time,
    a result or a range; behind it may be the largest number, as in 4/5 and 4 out of 5."""
    sign = before.strip()
    unit = after.strip()
    if not sign and not unit or re.search(r"[\d#=\":]$", sign):
        return False
    if unit.startswith(("-", "+", "=", ":", "\u2013", "\u2212")):
        return False
    if re.search(r"\d", unit) and not _OUT_OF.match(unit):
        return False
    if any(map(str.isalpha, sign)):
        return not unit and bool(_CURRENCY.fullmatch(before)) and bool(re.search(r"[.,]\d", number))
    glued = unit[:1].isalpha() and not after[:1].isspace() and not unit[1:2].isalpha()
    return not glued and not any(map(str.isdigit, sign))


def _read_unit(texts: Sequence[str], template: str, form: NumberFormat) -> dict[str, float]:
    before, _, after = template.partition("{}")
    wanted = _alike(before, after)
    found = {}
    for text in texts:
        owed = _OWED.fullmatch(text)
        for start, number, end in _around((owed[1] or owed[2]) if owed else text):
            value = form.value(number.rstrip(".,"))
            if _alike(start, end) == wanted and not isnan(value):
                found[text] = -value if owed else value
    return found


def _unit_templates(counts: Mapping[str, int], form: NumberFormat) -> Sequence[str]:
    """The two templates of most cells, each as most of these have it."""
    templates: dict[tuple[str, ...], Counter[str]] = {}
    for text, n in counts.items():
        for before, number, after in _around(text):
            if _may_be_unit(before, number, after):
                alike = templates.setdefault(_alike(before, after), Counter())
                alike[f"{before}{{}}{after}"] += n
    best = sorted(templates.values(), key=Counter.total, reverse=True)[:2]
    return [alike.most_common(1)[0][0] for alike in best]


def _write_unit(reading: Reading, value: float, digits: int) -> str:
    before, _, after = reading.code.partition("{}")
    return f"{before}{reading.form.text(value, digits)}{after}"


# A number with a label: 4 - good, 0 – Mostly me, 6: marginally above, good (4).
_LABEL = re.compile(
    rf"({A_NUMBER})\s*(?:[-\u2013\u2014=:.)]\s*|\()\D.*|[^\W\d]\D*\(({A_NUMBER})\)", re.DOTALL
)


def _read_labels(texts: Sequence[str], _: str, form: NumberFormat) -> dict[str, float]:
    matches = {text: match for text in texts if (match := _LABEL.fullmatch(text))}
    found = {text: _first_number(match, form) for text, match in matches.items()}
    each_once = len(set(found.values())) == len(found) and not any(map(isnan, found.values()))
    return found if each_once and len(found) <= MOST_WORDS else {}


def _write_label(reading: Reading, value: float, digits: int) -> str:
    text = reading.form.text(value, digits)
    exact = [t for t, v in reading.values.items() if v == reading.form.value(text)]
    return exact[0] if exact else text if reading.plain else reading.nearest(value)


# Drawn signs: ★★½☆☆, ❤❤❤.
_SIGN = r"[^\w\s.,;:?!\"'()\[\]{}<>=+/\\\-\u2212\u2013\u2014%#~^$]"
_DRAWN = re.compile(rf"({_SIGN})\1*½?(?:({_SIGN})\2*)?|(½)(?:({_SIGN})\4*)?")
_TONES = re.compile("[\U0001f3fb-\U0001f3ff\ufe0e\ufe0f]")


def _read_signs(texts: Sequence[str], _: str, form: NumberFormat) -> dict[str, float]:
    found = {text: match for text in texts if (match := _DRAWN.fullmatch(_TONES.sub("", text)))}
    if not any(len(_TONES.sub("", text)) > 1 for text in found):
        return {}
    first = Counter((match[2] is not None, match[1]) for match in found.values() if match[1])
    sign = max(first, key=lambda way: (way[0], first[way]))[1] if first else ""
    allowed = {None, sign, *(match[2] for match in found.values())}
    return {
        text: (text.count(sign) if sign else 0) + FRACTIONS["½"] * text.count("½")
        for text, match in found.items()
        if {match[1], match[2], match[4]} <= allowed
    }


# Durations: 1:05.02, 1:01:05.
_TIME = re.compile(r"(?:(\d{1,3}):)?(\d{1,3}):([0-5]\d(?:[.,]\d+)?)")


def _seconds(match: re.Match, form: NumberFormat) -> float:
    hours, minutes, seconds = (float(part.replace(",", ".")) for part in match.groups("0"))
    return 3600 * hours + 60 * minutes + seconds


_read_times = _matching(_TIME, _seconds)


def _write_time(reading: Reading, value: float, digits: int) -> str:
    places = [match for text in reading.values if (match := _TIME.fullmatch(text))]
    decimals = max((max(len(match[3]) - 3, 0) for match in places), default=0)
    padded = max((len(match[2]) for match in places if not match[1]), default=1)
    minutes, rest = divmod(round(max(value, 0.0), decimals), 60)
    hours, left = divmod(minutes, 60)
    whole = f"{hours:.0f}:{left:02.0f}" if hours else f"{minutes:0{min(padded, 2)}.0f}"
    text = f"{whole}:{rest:0{3 + decimals if decimals else 2}.{decimals}f}"
    return text.replace(".", ",") if any("," in text for text in reading.values) else text


# Places: 1st, 2e, 3º.
_PLACE = re.compile(r"(\d{1,2})(?:st|nd|rd|th|e|er|ère|ème|[ºª°])", re.IGNORECASE)

# Thousands, millions: 1.2K next to 950.
_SIZES = {"k": 1e3, "tsd": 1e3, "m": 1e6, "mio": 1e6, "b": 1e9, "bn": 1e9, "mrd": 1e9}
_SIZES |= {"\u4e07": 1e4, "\u4ebf": 1e8}
_SIZED = re.compile(rf"({A_NUMBER})(\s*({'|'.join(_SIZES)})\.?)", re.IGNORECASE)
_MOST_CLASSES = 5  # such as 4B and 5B, next to which 6B and more are billions


def _size_of(match: re.Match) -> float:
    return _SIZES[match[3].casefold()]


_read_sized = _matching(_SIZED, lambda match, form: _size_of(match) * _first_number(match, form))


def _read_sizes(texts: Sequence[str], _: str, form: NumberFormat) -> dict[str, float]:
    found = [match for text in texts if (match := _SIZED.fullmatch(text))]
    signs = {match[3] for match in found}
    fractions = any(re.search("[.,]", match[0]) for match in found)
    sizes = len(signs) > 1 or len(found) > _MOST_CLASSES or fractions
    return _read_sized(texts, "", form) if sizes and signs != {"m"} else {}


def _write_size(reading: Reading, value: float, digits: int) -> str:
    found = [match for text in reading.values if (match := _SIZED.fullmatch(text))]
    ways = {_size_of(match): match[2] for match in found}
    size = max((size for size in ways if size <= abs(value)), default=0)
    if not size:
        return reading.form.text(value, digits)
    return f"{float(f'{value / size:.3g}'):g}".replace(".", reading.form.decimal[0]) + ways[size]


# What accountants owe: (3.2), 3.2-; a number with flags behind it: 45.1 b, 88+3. 2- is a mark.
_OWED = re.compile(r"\(([^()]*\d[^()]*)\)|([^+\-\u2212]*\d[.,]\d+)\s*[-\u2212]")
_FLAGGED = re.compile(rf"({A_NUMBER})(?:\s+[^\W\d_]{{1,2}}|\s*[*\u2020]+|\+\d)")


# Words in an order: of a known scale, or as a person put them.
def _read_words(texts: Sequence[str], order: str, form: NumberFormat) -> dict[str, float]:
    """1, 2, 3, ... for the words of an order such as 'never<rarely=seldom<often'; no and yes are 0
    and 1."""
    levels = [list(map(plain_word, words.split("="))) for words in order.split("<")]
    ranks = {word: rank for rank, words in enumerate(levels) for word in words}
    first = 0 if max(ranks.values()) == 1 and ranks.keys() <= KNOWN[-1].keys() else 1
    plain = {text: plain_word(text) for text in texts}
    return {text: float(first + ranks[word]) for text, word in plain.items() if word in ranks}


def _known_orders(counts: Mapping[str, int], form: NumberFormat) -> Sequence[str]:
    """The order of the words of a column on the known scale that has most of its words: three of
    them at least, or two and no others. Letters are grades where some have a sign."""
    plain = {text: plain_word(text) for text in counts}
    words = {*plain.values()}
    best = max(KNOWN, key=lambda scale: len(words & scale.keys()))
    known = words & best.keys()
    n_ranks = len({best[word] for word in known})
    n_known = sum(n for text, n in counts.items() if plain[text] in best)
    mostly = best is KNOWN[-1] and 2 * n_known > sum(counts.values())
    enough = n_ranks >= 3 or n_ranks == 2 and (len(known) == len(words) or mostly)
    grades = {"a", "b", "c"} <= best.keys() and not any(word[-1] in "+-" for word in known)
    return (_order_on(best, counts),) if enough and not grades else ()


def _order_on(scale: Mapping[str, int], texts: Iterable[str]) -> str:
    """The order of some texts on a known scale, lowest first, as a parameter of 'words'."""
    by_rank: dict[int, dict[str, str]] = {}
    for text in texts:
        word = plain_word(text)
        if word in scale:
            by_rank.setdefault(scale[word], {}).setdefault(word, text)
    return "<".join("=".join(by_rank[rank].values()) for rank in sorted(by_rank))


def natural_order(texts: Sequence[str]) -> str:
    """'A1<A2<A3' where all texts are one word with a number behind it, from 0 or 1 on; or ''."""
    matches = [re.fullmatch(r"([^\W\d_]{1,3}[\s_-]?)(\d)", text) for text in texts]
    if len(texts) < 3 or not all(matches) or len({match[1] for match in matches if match}) > 1:
        return ""
    ranks = sorted((int(match[2]), match[0]) for match in matches if match)
    return "<".join(text for _, text in ranks) if ranks[0][0] <= 1 else ""


CODES: tuple[Code, ...] = (
    Code("words", _read_words, _write_nearest, parameters=_known_orders),
    Code("places", _matching(_PLACE, lambda match, _: float(match[1])), _write_nearest),
    Code("signs", _read_signs, _write_nearest, plain=True),
    Code("labels", _read_labels, _write_label, plain=True),
    Code("time", _read_times, _write_time),
    Code("sizes", _read_sizes, _write_size, plain=True),
    Code("{}", _read_unit, _write_unit, plain=True, parameters=_unit_templates),
    Code("accounts", _matching(_OWED, lambda m, form: -form.value(m[1] or m[2])), plain=True),
    Code("flags", _matching(_FLAGGED, _first_number), plain=True),
)
_BY_NAME = {code.name: code for code in (Code(PLAIN, lambda *_: {}, plain=True), *CODES)}


def _name_of(key: str) -> str:
    return "{}" if "{}" in key else key.partition(" ")[0]


def _entry(key: str) -> Code:
    """The code of a key; KeyError if there is none."""
    return _BY_NAME[_name_of(key)]


def is_code(key: str) -> bool:
    """Whether a text is the key of a code."""
    return _name_of(key) in _BY_NAME


def reading_of(key: str, texts: Iterable[str], form: NumberFormat) -> Reading:
    """How a code, by its key, reads the texts of a column that are no plain numbers."""
    code = _entry(key)
    parameter = key if code.name == "{}" else key.partition(" ")[2]
    short = [text for text in dict.fromkeys(map(str.strip, texts)) if len(text) <= _LONGEST]
    return Reading(key, form, code.read(short, parameter, form), code.plain)


def guess(texts: Mapping[str, int], numbers: Numbers, form: NumberFormat) -> tuple[str, float]:
    """The code with the shortest description of a column, '' for texts, and how many bits fewer
    these are than those of the next one.

    ``texts`` are neither numbers nor missing, with their numbers of cells; ``numbers`` are the
    plain ones, in ``form``.
    """
    plain = number_bits(*numbers)
    if not texts:
        return PLAIN if len(numbers[0]) else "", np.inf
    sample = dict(islice(texts.items(), _MOST_TEXTS))
    short = {text: n for text, n in sample.items() if len(text) <= _LONGEST}
    counts = np.array(list(sample.values()))
    as_words = _numbers_as_words(numbers)
    spelled = word_bits(list(sample), counts)
    found = [(spelled + as_words, "")]
    if len(numbers[0]):
        found.append((plain + odd_bits(list(sample), counts), PLAIN))
    for code in CODES:
        for parameter in code.parameters(short, form):
            key = parameter if code.name == "{}" else f"{code.name} {parameter}".strip()
            values = code.read(list(short), parameter, form)
            if code.name == "words":
                known = sum(map(text_bits, values))
                found.append((spelled - known + as_words, key))
            elif len(values) > 1 or values and len(sample) == 1 and code.name != "{}":
                found.append((_bits_under(values, code, sample, numbers) + _PRIOR, key))
    found.sort(key=lambda pair: pair[0])
    return found[0][1], found[1][0] - found[0][0] if len(found) > 1 else np.inf


def _numbers_as_words(numbers: Numbers) -> float:
    """Bits of the numbers of a column that is one of texts."""
    values, counts, decimals = numbers
    if not len(values):
        return 0.0
    return odd_bits([f"{x:.{max(d, 0)}f}" for x, d in zip(values, decimals)], counts)


def _bits_under(
    values: Mapping[str, float], code: Code, texts: Mapping[str, int], numbers: Numbers
) -> float:
    """Bits of a column of which a code reads the ``values``."""
    odd = [text for text in texts if text not in values]
    read = np.array(list(values.values()))
    counts = np.array([texts[text] for text in values], dtype=float)
    places = np.array(list(map(decimals_of, values.values())))
    bits = odd_bits(odd, np.array([texts[text] for text in odd], dtype=float)) if odd else 0.0
    if code.plain:
        mine = (read, counts, places)
        return bits + number_bits(*(np.append(*pair) for pair in zip(mine, numbers)))
    if len(numbers[0]):
        bits += odd_bits([f"{x:g}" for x in numbers[0]], numbers[1])
    return bits + number_bits(read, counts, places)


def decimals_of(value: float) -> int:
    """The decimals of a number that is written with six digits."""
    text = f"{value:.6g}"
    return len(text.partition(".")[2]) if "e" not in text else 0


# The codes of the columns of a file


def choose_codes(draft: Draft) -> None:
    """Decides the code of each column, and reads the numbers behind its texts."""
    has_text = (draft.cells.kinds == TEXT).any(axis=0)
    has_number = ~np.isnan(draft.cells.values).all(axis=0)
    texts: dict[int, dict[str, int]] = {}
    for j, column in enumerate(draft.columns):
        if not has_text[j]:
            column.code = PLAIN if has_number[j] else ""
            continue
        texts[j] = draft.cells.words(j)
        if _are_dates(draft, j, texts[j]):
            column.why = DATES
        else:
            found = guess(texts[j], draft.cells.numbers(j), draft.cells.texts.form)
            column.code, column.margin = found
    _share_words(draft, texts)
    _order_numbered(draft, texts)
    for j, words in texts.items():
        if draft.columns[j].numeric:
            _read(draft, j, words)


def _are_dates(draft: Draft, j: int, texts: Mapping[str, int]) -> bool:
    """Whether most cells are dates or times of the day. Durations, which are numbers, have parts of
    a second, go beyond a day, or stand in several columns."""
    n = sum(texts.values()) + int((~np.isnan(draft.cells.values[:, j])).sum())
    short = {text: k for text, k in texts.items() if len(text) <= _LONGEST_DATE}
    if 2 * sum(k for text, k in short.items() if _DATE.fullmatch(text)) <= n:
        return False
    times = _read_times(list(texts), "", draft.cells.texts.form)
    if 2 * sum(texts[text] for text in times) <= n:
        return True
    if any(re.search("[.,]", text) or int(text.partition(":")[0]) > _LAST_HOUR for text in times):
        return False
    first = [
        map(draft.text, np.unique(draft.body.codes[:_LOOKED_AT, k])) for k in range(draft.width)
    ]
    return sum(any(map(_TIME.fullmatch, column)) for column in first) < 3


def _share_words(draft: Draft, texts: Mapping[int, Mapping[str, int]]) -> None:
    """Columns whose words are on one known scale share the order of all words that occur."""
    for scale in KNOWN:
        mine, others = [], []
        for j, words in texts.items():
            code = draft.columns[j].code
            if code.startswith("words ") and code == f"words {_order_on(scale, words)}":
                mine.append(j)
            elif not draft.columns[j].numeric and all(plain_word(text) in scale for text in words):
                others.append(j)
        if mine:
            together = dict.fromkeys(text for j in (*mine, *others) for text in texts[j])
            for j in (*mine, *others):
                draft.columns[j].code = f"words {_order_on(scale, together)}"
                draft.columns[j].margin = np.inf


def _order_numbered(draft: Draft, texts: Mapping[int, Mapping[str, int]]) -> None:
    """Columns of A1, A2, A3, ... are on a scale where one of them has gaps; amber."""
    kinds: dict[str, list[int]] = {}
    for j, words in texts.items():
        first = _NUMBERED.match(next(iter(words), "")[:_LONGEST_DATE])
        if first and not draft.columns[j].numeric and 2 * sum(words.values()) >= 3 * len(words):
            kinds.setdefault(first[0], []).append(j)
    for columns in kinds.values():
        order = natural_order(list({text for j in columns for text in texts[j]}))
        if order and draft.gaps[columns].any():
            for j in columns:
                draft.columns[j].code = f"words {order}"
                draft.columns[j].margin = 0.0


def _read(draft: Draft, j: int, words: Mapping[str, int]) -> None:
    """Reads the texts of a column; what its code does not read is ``odd``."""
    column = draft.columns[j]
    reading = reading_of(column.code, words, draft.cells.texts.form)
    column.odd = {text: n for text, n in words.items() if text not in reading.values}
    cells, is_text = draft.body.codes[:, j], draft.cells.kinds[:, j] == TEXT
    used, inverse = np.unique(cells, return_inverse=True)
    values = np.array([reading.values.get(draft.text(code), np.nan) for code in used])
    draft.values[is_text, j] = values[inverse][is_text]
    if not reading.plain:
        plain = ~is_text & ~np.isnan(draft.values[:, j])
        for code, n in zip(*np.unique(cells[plain], return_counts=True)):
            column.odd[draft.text(code)] = int(n)
        draft.values[plain, j] = np.nan
