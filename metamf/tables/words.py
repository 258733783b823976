"""Words and decorated numbers ("Agree", "85 %", "4 - good", drawn stars) that stand for ratings: each text has a value,
and an estimate is written as the texts of its column are; and the words that files use for columns and sums.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from math import isnan, nan

from metamf.tables.numbers import A_NUMBER, FRACTIONS, NumberFormat, value_of
from metamf.wording import with_minus


@dataclass(frozen=True)
class Style:
    """Form in which the ratings of a column are written."""

    values: tuple[tuple[str, float], ...]  # each text that stands for a rating, and its value, the lowest first
    template: str  # '{} %' with ``{}`` in place of the number; '' where only the texts of ``values`` are written
    name: str  # words for people on what they are

    def text_of(self, value: float, number: str) -> str:
        """An estimate as the column is written: ``number`` in the template, or the text nearest to ``value``."""
        if self.name == TIMES:
            return _as_time(value, int(self.template))
        if self.name == THOUSANDS:
            return _as_thousands(value, [text for text, _ in self.values], self.template) or number
        if self.template:
            return self.template.format(number)
        return min(self.values, key=lambda pair: abs(pair[1] - value))[0]

    def in_words(self) -> str:
        """'Disagree = 1, Neutral = 2, Agree = 3'"""
        return ", ".join(f"{text} = {with_minus(f'{value:g}')}" for text, value in self.values)


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


# Scales of words, lowest first; words of one rank mean the same. The last two are grades, and no and yes.
_SCALES = """
strongly disagree|disagree strongly|completely disagree|totally disagree < disagree
  < somewhat disagree|slightly disagree|rather disagree < neutral|neither agree nor disagree|undecided
  < somewhat agree|slightly agree|rather agree < agree < strongly agree|agree strongly|completely agree|totally agree
pas du tout d'accord < pas d'accord < plutôt pas d'accord < neutral|sans opinion|ni d'accord ni pas d'accord
  < plutôt d'accord < d'accord < tout à fait d'accord
very dissatisfied|very unsatisfied < dissatisfied|unsatisfied < somewhat dissatisfied
  < neutral|neither satisfied nor dissatisfied < somewhat satisfied < satisfied < very satisfied
never < rarely|seldom < sometimes|occasionally < often|frequently|usually < very often|almost always < always
terrible|awful < very poor|very bad < poor|bad < fair|okay|ok|average|acceptable < good < very good
  < excellent|outstanding
not at all|none < slightly|a little < somewhat|moderately < quite|quite a bit|mostly < very|very much|a lot
  < extremely|completely
not important|not at all important|unimportant < slightly important|less important < moderately important|neutral
  < important < very important < extremely important
very unlikely|extremely unlikely < unlikely < neutral|possible|maybe < likely < very likely|extremely likely
very low < low < medium < high < very high
f < e < d- < d < d+ < c- < c < c+ < b- < b < b+ < a- < a < a+
no|false|nein|non|dislike|down|falsch|\N{THUMBS DOWN SIGN} < maybe|vielleicht|peut-être|unsure
  < yes|true|ja|oui|si|sí|like|up|richtig|\N{THUMBS UP SIGN}
"""
Scale = dict[str, int]  # plain word -> rank
KNOWN: tuple[Scale, ...] = tuple(
    {word: rank for rank, words in enumerate(" ".join(scale.split()).split(" < ")) for word in words.split("|")}
    for scale in re.split(r"\n(?! )", _SCALES.strip())
)
TRUTH_SCALE, _GRADE_SCALE = KNOWN[-1], KNOWN[-2]
_MOST_CLASSES = 5  # such as 4B and 5B, next to which 6B and more are billions
MOST_WORDS = 16  # different words of a scale
_LONGEST = 200  # characters of a number with what is around it; a longer text is none
WORDS, LABELLED, PLACES, TIMES = "words", "numbers with a label", "places", "times in seconds"
THOUSANDS = "numbers with a sign for thousands or millions"
_SIZES = {"k": 1e3, "tsd": 1e3, "m": 1e6, "mio": 1e6, "b": 1e9, "bn": 1e9, "mrd": 1e9, "\u4e07": 1e4, "\u4ebf": 1e8}
_SIZED = re.compile(rf"({A_NUMBER})(\s*({'|'.join(_SIZES)})\.?)", re.IGNORECASE)  # 1.2K
_SIGN = r"[^\w\s.,;:?!\"'()\[\]{}<>=+/\\\-\u2212\u2013\u2014%#~^$]"
_DRAWN = re.compile(rf"({_SIGN})\1*½?(?:({_SIGN})\2*)?|(½)(?:({_SIGN})\4*)?")  # ★★½☆☆
_TONES = re.compile("[\U0001f3fb-\U0001f3ff\ufe0e\ufe0f]")
_UNITS = re.compile(r"[^\W\d].*(?<!\w)|stars?|sterne?|étoiles?|estrellas?|points?|pts?\.?|pkt\.?|punkte?|puntos?", re.I)
_AROUND = re.compile(rf"(\D*?)({A_NUMBER})(\D*)(?:({A_NUMBER})(\D*))?")  # one number, or two, and what is around them
_CURRENCY = re.compile(r"[^\W\d_]{1,3}\.?\s")  # CHF 2.50, but not A 2
_OWED = re.compile(r"\(([^()]*)\)")  # ($50)
_OUT_OF = re.compile(r"\s*/\s*|.*[^\W\d_].*")  # between a number and the largest one
_PLACE = re.compile(r"(\d{1,2})([^\W\d_]{1,4}|[ºª°])")  # 1st, 2e, 3º
_TIME = re.compile(r"(?:(\d{1,3}):)?(\d{1,3}):(\d{2}(?:[.,]\d+)?)")  # 1:05.02
_BEHIND = rf"[^\W\d]\D*\(({A_NUMBER})\)"  # good (4)
_LABEL = re.compile(rf"({A_NUMBER})\s*(?:[-\u2013\u2014=:.)]\s*|\()\D.*|{_BEHIND}")  # 4 - good


def _style(values: dict[str, float], template: str, name: str) -> Style:
    return Style(tuple(sorted(values.items(), key=lambda pair: (pair[1], pair[0]))), template, name)


def plain_word(text: str) -> str:
    """The word without case, spaces around it, full stops and tones of skin; strongly_agree is "strongly agree"."""
    text = _TONES.sub("", text.casefold()).replace("\u2019", "'")
    return " ".join(text.replace("_", " ").split()).strip(" .!")


def order_of(words: Sequence[str]) -> Scale:
    """The scale of words that somebody has put in order, lowest first; in "up=yes" are two that mean the same."""
    ranks = {plain_word(part): rank for rank, word in enumerate(words) for part in word.split("=")}
    return ranks | {plain_word(word): rank for rank, word in enumerate(words)}


def scale_of(counts: dict[str, int], orders: Sequence[Scale]) -> Scale | None:
    """The scale that most of the cells are on, ``counts`` of each text: one of ``orders``, or else the known one with
    most of the words, of which there are three at least, or two and no others. Letters are grades where some have a
    sign: A, B, C and D may as well be answers to choose from."""
    plain = {plain_word(text) for text in counts}
    for scale in (*orders, max(KNOWN, key=lambda scale: len(plain.intersection(scale)))):
        ranks = {scale[word] for word in plain.intersection(scale)}
        cells = sum(n for text, n in counts.items() if plain_word(text) in scale)
        known = len(ranks) >= 3 or (len(ranks) == 2 and (plain <= scale.keys() or scale is TRUTH_SCALE))
        if scale is _GRADE_SCALE and not any(word[-1] in "+-" for word in plain.intersection(scale)):
            known = False
        if 2 * cells > sum(counts.values()) and (known or scale in orders):
            return scale
    return None


def style_on(scale: Scale, texts: Collection[str]) -> Style:
    """Values of the ``texts`` on a scale: 1, 2, 3, ... for the ranks that occur; no and yes are 0 and 1."""
    on_it = {text: scale[plain_word(text)] for text in texts if plain_word(text) in scale}
    ranks = sorted(set(on_it.values()))
    first = 0 if scale.keys() <= TRUTH_SCALE.keys() else 1
    return _style({text: float(first + ranks.index(rank)) for text, rank in on_it.items()}, "", WORDS)


def decorated(counts: dict[str, int], plain: int, form: NumberFormat) -> Style | None:
    """The numbers in texts such as '85 %', '4 - good' or drawn stars; None where most are not decorated in one way.
    ``counts``: cells of each text that is not a plain number; ``plain``: number of cells that are. Labels such as
    '4 - good' may stand next to plain numbers; there are at most ``MOST_WORDS``, and each number has one."""
    texts = [text for text in counts if text and len(text) <= _LONGEST]
    half = (plain + sum(counts.values())) / 2
    stars = _drawn(texts)
    if sum(counts[text] for text in stars) > half:
        return _style(stars, "", "drawn stars")
    labels = {text: value_of(match[1] or match[2], form) for text in texts if (match := _LABEL.fullmatch(text))}
    each_once = len(set(labels.values())) == len(labels) and not any(map(isnan, labels.values()))
    if 0 < len(labels) <= MOST_WORDS and each_once and sum(counts[text] for text in labels) + plain > half:
        return _style(labels, "{}" if plain else "", LABELLED)
    if any("." in text or "," in text for text in texts) and (style := times(counts, half)):
        return style
    sized = {text: match for text in texts if (match := _SIZED.fullmatch(text))}
    signs = {match[3] for match in sized.values()}
    sure = plain or len(signs) > 1 or len(sized) > _MOST_CLASSES or any(re.search("[.,]", text) for text in sized)
    flags = [set(), {"m"}, *([{"b"}, {"B"}] if plain else [])]  # where nothing is in thousands or millions
    if signs not in flags and sure and sum(counts[text] for text in sized) + plain > half:
        values = {text: _SIZES[match[3].casefold()] * value_of(match[1], form) for text, match in sized.items()}
        if not any(map(isnan, values.values())):
            return _style(values, form.decimal[0], THOUSANDS)
    if {"+", "-"} <= {text[-1:] for text in texts}:  # grades such as 2+ and 2-
        return None
    alike: dict[tuple, dict[str, tuple[float, str]]] = {}  # texts that are alike around their number, and their forms
    for text in texts:
        owed = _OWED.fullmatch(text)  # as accountants write what is below zero
        for around, number, template in _numbers_in(owed[1] if owed else text):
            if not isnan(value := value_of(number, form)):
                alike.setdefault(around, {})[text] = -value if owed else value, template
    for (*_, largest), found in alike.items():
        top = value_of(largest, form) if largest else nan
        if largest and len({value for value, _ in found.values()}) < 2:
            continue
        if sum(counts[text] for text in found) > half and not max(value for value, _ in found.values()) > top:
            example = max(found, key=lambda text: found[text][0])
            values = {text: value for text, (value, _) in found.items()}
            return _style(values, found[example][1], f'numbers as in "{example}"')
    return None


def _drawn(texts: list[str]) -> dict[str, float]:
    """How often the sign that comes first stands in texts such as ★★½☆☆ and ❤❤❤; none where no sign is repeated."""
    found = {text: match for text in texts if (match := _DRAWN.fullmatch(_TONES.sub("", text)))}
    if not any(len(_TONES.sub("", text)) > 1 for text in found):
        return {}
    first = Counter((match[2] is not None, match[1]) for match in found.values() if match[1])
    sign = max(first, key=lambda way: (way[0], first[way]))[1] if first else ""
    return {
        text: (text.count(sign) if sign else 0) + FRACTIONS["½"] * text.count("½")
        for text, match in found.items()
        if {match[1], match[2], match[4]} <= {None, sign, *(other[2] for other in found.values())}
    }


def _numbers_in(text: str) -> Iterator[tuple[tuple[str, ...], str, str]]:
    """The ways to see one number in a text with signs or words around it: what is around it, of which the last part is
    the largest number ("4 out of 5") or ''; the number; and the text with {} in its place."""
    if not (match := _AROUND.fullmatch(text)):
        return
    before, first, between, second, after = match.groups("")
    sign = before.strip()
    unit = between.strip()
    if "=" in sign or '"' in sign or unit == "-":  # 2- is a grade
        return
    if not second:
        glued = unit[:1].isalpha() and not between[:1].isspace() and not unit[1:2].isalpha()  # 4a, but not 54kg
        amount = _CURRENCY.fullmatch(before) and re.search(r"[.,]\d", first)
        letters = any(map(str.isalpha, before)) and not amount or glued
        if (sign or unit) and (not letters or not sign and _UNITS.fullmatch(unit)):
            yield (sign, unit.casefold().rstrip("sen."), ""), first, _with_gap(text, match, 2)
    elif _OUT_OF.fullmatch(between):
        yield (sign, unit, after.strip(), second), first, _with_gap(text, match, 2)
        yield (sign, unit, after.strip(), "", first), second, _with_gap(text, match, 4)


def _with_gap(text: str, match: re.Match, group: int) -> str:
    before = text[: match.start(group)]
    after = text[match.end(group) :]
    return "{}".join(part.replace("{", "{{").replace("}", "}}") for part in (before, after))


def is_place(text: str) -> bool:
    """Whether the text is a place such as 2nd."""
    return _PLACE.fullmatch(text) is not None


def places(texts: Collection[str]) -> Style | None:
    """The numbers in 1st, 2nd, 3rd, ...; None unless most of the ``texts`` are such, one for each number from 1 on."""
    found = {text: float(match[1]) for text in texts if (match := _PLACE.fullmatch(text))}
    counted = sorted(found.values()) == list(range(1, len(found) + 1))
    return _style(found, "", PLACES) if counted and len(found) > 2 and 2 * len(found) > len(texts) else None


def is_time(text: str) -> bool:
    """Whether the text may be a duration such as 1:05.02."""
    return _TIME.fullmatch(text.strip()) is not None


def times(counts: dict[str, int], fewest: float = 0) -> Style | None:
    """The seconds in texts such as 1:05.02; None unless more than ``fewest`` cells and most texts hold them."""
    found = {text: match for text in counts if (match := _TIME.fullmatch(text))}
    n = sum(counts[text] for text in found)
    if n <= fewest or 2 * n <= sum(counts.values()):
        return None
    parts = {text: [float(part.replace(",", ".")) for part in match.groups("0")] for text, match in found.items()}
    seconds = {text: 3600 * hours + 60 * minutes + rest for text, (hours, minutes, rest) in parts.items()}
    return _style(seconds, str(max(len(match[3]) - 3 for match in found.values())), TIMES)


def _as_time(seconds: float, decimals: int) -> str:
    """Seconds as 1:05.02, or 1:01:05, with a number of decimals that is below one where there are none."""
    seconds = round(seconds, max(decimals, 0))
    minutes, rest = divmod(abs(seconds), 60)
    hours, left = divmod(minutes, 60)
    whole = f"{hours:.0f}:{left:02.0f}" if hours else f"{minutes:.0f}"
    width = 3 + decimals if decimals > 0 else 2
    return f"{'-' if seconds < 0 else ''}{whole}:{rest:0{width}.{max(decimals, 0)}f}"


def _as_thousands(value: float, texts: Sequence[str], decimal: str) -> str:
    """1,250 as 1.25K, by the largest sign in ``texts`` that is not above it; '' where all are."""
    found = [match for text in texts if (match := _SIZED.fullmatch(text))]
    ways = {_SIZES[match[3].casefold()]: match[2] for match in found}
    size = max((size for size in ways if size <= abs(value)), default=0)
    if not size:
        return ""
    return f"{float(f'{value / size:.3g}'):g}".replace(".", decimal) + ways[size]


# Names of the columns of a long table; of several in one file, the one that stands first here is taken.
ROW_NAMES = _words("""
    userid user users uid row rowid rater raterid reviewer reviewerid customer customerid person personid reader
    respondent student username member worker annotator assessor judge panelist
""")
COLUMN_NAMES = _words("""
    itemid item movieid movie iid column col columnid product productid film filmid book bookid isbn joke jokeid song
    songid artist artistid asin question title
""")
VALUE_NAMES = _words("rating ratings value score stars grade mark vote preference bookrating note")
# Names of a first column that holds the names of a wide table's rows.
_KEY_NAMES = _words("""
    name names index label labels id ids identifier nr no key keys code codes sku ean gtin upc isbn asin barcode serial
    zip zipcode zipcodes postcode postcodes postalcode plz date datetime timestamp datum year month week phone telephone
    email mail matrikelnummer matrnr rownames unnamed0
""")
_LAST_WORDS = ("id", "code", "key", "sku", "zip", "date", "number")  # as in "participant id", "productCode"
_MOST_WORDS = 3  # of a name that is judged by its last word; a longer one is a question

# In names of lines that say what the columns weigh or can reach; Max alone is a name.
_WEIGHTS = frozenset(_words("weight weights weighting gewicht gewichtung poids peso coef coefficient"))
_LIMITS = frozenset(_words("max maximum maximal possible reachable erreichbar möglich máximo massimo"))

# Parts of the names of rows and columns that sum up the others; whole names of those that say what can be reached, too.
SUMS = frozenset(
    _words("""
    total totals subtotal sum mean average avg median summe gesamt gesamtnote gesamtpunkte mittelwert durchschnitt
    schnitt moyenne somme promedio suma ø
""")
)
SUMMARIES = SUMS | {*_words("all grandtotal media blank maximum outof pointspossible possiblepoints")}
BESIDE_SUMMARIES = frozenset(_words("max min n count sd std stdev standarddeviation minimum anzahl"))  # next to them


def plain_name(name: str) -> str:
    """The name in lower case, without spaces and signs."""
    return re.sub(r"[\W_]+", "", name.strip().casefold())


def words_of(name: str) -> list[str]:
    """The words of a name in lower case, also of productCode."""
    apart = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name)
    return [word for word in re.split(r"[\W_]+", apart.casefold()) if word]


def tells_of_others(name: str, numbers_do: bool) -> bool:
    """Whether a line of that name says what columns weigh or can reach, as in "max. points", or a column what lines do;
    where its numbers do so, too, Max is none of the names of people."""
    words = words_of(name)[:_MOST_WORDS]
    return not _WEIGHTS.isdisjoint(words) or (numbers_do or len(words) > 1) and not _LIMITS.isdisjoint(words)


def names_rows(name: str) -> bool:
    """Whether a first column of that name holds names of rows (identifiers, dates) and not ratings; "#" does."""
    plain, words = plain_name(name), words_of(name)
    if not plain:
        return bool(name.strip())
    return plain in (*ROW_NAMES, *_KEY_NAMES) or (1 < len(words) <= _MOST_WORDS and words[-1] in _LAST_WORDS)
