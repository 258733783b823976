"""Words and decorated numbers that stand for ratings, and the words that files use for columns and sums.

"Agree", "often", "85 %", "4 stars", "4 - good" and drawn stars are ratings like any other: each text has a value, and
an estimate is written as the texts of its column are. The words were collected from public data and survey tools.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from metamf.tables.numbers import FRACTIONS, NumberFormat
from metamf.wording import with_minus


@dataclass(frozen=True)
class Style:
    """Form in which the ratings of a column are written.

    Attributes
    ----------
    values : text and value of each different text that stands for a rating; the lowest value first
    template : text of a rating with ``{}`` in place of its number, such as '{} %'; '' where only the texts of
        ``values`` are written
    name : words for people on what they are
    """

    values: tuple[tuple[str, float], ...]
    template: str
    name: str

    def text_of(self, value: float, number: str) -> str:
        """An estimate as the column is written: ``number`` in the template, or the text nearest to ``value``."""
        if self.template:
            return self.template.format(number)
        return min(self.values, key=lambda pair: abs(pair[1] - value))[0]

    def in_words(self) -> str:
        """'Disagree = 1, Neutral = 2, Agree = 3'"""
        return ", ".join(f"{text} = {with_minus(f'{value:g}')}" for text, value in self.values)


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


# Scales of words, lowest first, one rank a line; words of one rank mean the same. Collected from survey tools and
# public data. The last two are grades, and no and yes.
_SCALES = """
strongly disagree|disagree strongly|completely disagree|totally disagree|stimme gar nicht zu|\
stimme überhaupt nicht zu|pas du tout d'accord|muy en desacuerdo
disagree|stimme nicht zu|lehne ab|pas d'accord|en desacuerdo
somewhat disagree|slightly disagree|rather disagree|stimme eher nicht zu|plutôt pas d'accord
neutral|neither agree nor disagree|undecided|teils teils|teils, teils|teils/teils|weder noch|weder/noch|\
unentschieden|sans opinion|ni d'accord ni pas d'accord|ni de acuerdo ni en desacuerdo
somewhat agree|slightly agree|rather agree|stimme eher zu|plutôt d'accord
agree|stimme zu|d'accord|de acuerdo
strongly agree|agree strongly|completely agree|totally agree|stimme voll zu|stimme voll und ganz zu|\
stimme völlig zu|tout à fait d'accord|muy de acuerdo

very dissatisfied|very unsatisfied|sehr unzufrieden|très insatisfait|muy insatisfecho
dissatisfied|unsatisfied|unzufrieden|insatisfait|insatisfecho
somewhat dissatisfied|eher unzufrieden
neutral|neither satisfied nor dissatisfied|teils teils|teils/teils|weder noch
somewhat satisfied|eher zufrieden
satisfied|zufrieden|satisfait|satisfecho
very satisfied|sehr zufrieden|très satisfait|muy satisfecho

never|nie|niemals|jamais|nunca
rarely|seldom|selten|rarement|rara vez|raramente
sometimes|occasionally|manchmal|gelegentlich|parfois|a veces
often|frequently|usually|oft|häufig|souvent|a menudo|con frecuencia
very often|almost always|sehr oft|très souvent
always|immer|toujours|siempre

terrible|awful|sehr schlecht|très mauvais|muy malo
very poor|very bad
poor|bad|schlecht|mauvais|malo
fair|okay|ok|average|acceptable|mittel|mittelmäßig|passable|moyen|regular
good|gut|bon|bueno
very good|sehr gut|très bon|muy bueno
excellent|outstanding|ausgezeichnet|hervorragend|excelente

not at all|none|gar nicht|überhaupt nicht|pas du tout|nada
slightly|a little|kaum|wenig|un peu|poco
somewhat|moderately|etwas|mittelmäßig|mäßig|moyennement
quite|quite a bit|mostly|ziemlich|überwiegend|assez|bastante
very|very much|a lot|sehr|beaucoup|mucho
extremely|completely|äußerst|völlig|énormément

not important|not at all important|unimportant|unwichtig|pas important
slightly important|less important|weniger wichtig|peu important
moderately important|neutral|teils teils
important|wichtig|importante
very important|sehr wichtig|très important|muy importante
extremely important

very unlikely|extremely unlikely|sehr unwahrscheinlich|très improbable
unlikely|unwahrscheinlich|improbable
neutral|possible|vielleicht|maybe
likely|wahrscheinlich|probable
very likely|extremely likely|sehr wahrscheinlich|très probable

very low|sehr niedrig
low|niedrig|bas|bajo
medium|mittel|moyen|medio
high|hoch|haut|alto
very high

f\ne\nd-\nd\nd+\nc-\nc\nc+\nb-\nb\nb+\na-\na\na+

no|false|nein|non|dislike|down|falsch|\N{THUMBS DOWN SIGN}
maybe|vielleicht|peut-être|unsure
yes|true|ja|oui|si|sí|like|up|richtig|\N{THUMBS UP SIGN}
"""
KNOWN = tuple(
    {word: rank for rank, words in enumerate(scale.split("\n")) for word in words.split("|")}
    for scale in _SCALES.strip().split("\n\n")
)
TRUTH_SCALE, _GRADE_SCALE = KNOWN[-1], KNOWN[-2]
MOST_WORDS = 16  # different words of a scale
_LONGEST = 200  # characters of a number with what is around it; a longer text is none
_LABELLED = "numbers with a label"
_STARS = "\u2605\u2b50*"  # filled ones
_DRAWN = re.compile(f"[{re.escape(_STARS)}]*[½]?[\u2606\u2729]*")
_NUMBER = r"(?P<number>[+\-\u2212]?\d[\d.,]*)"
_FORMS = (  # name, pattern; a text with a suffix or a prefix keeps it, one with a label is known by it
    ("percentages", re.compile(rf"{_NUMBER}\s*%")),
    ("stars", re.compile(rf"{_NUMBER}\s*(?:stars?|sterne?|étoiles?|estrellas?|[\u2605\u2b50]\ufe0f?)", re.I)),
    ("points", re.compile(rf"{_NUMBER}\s*(?:points?|pts?\.?|pkt\.?|punkte?|puntos?)", re.I)),
    ("parts of a whole", re.compile(rf"{_NUMBER}\s*(?:/|(?:out )?of|von|sur)\s*(?P<whole>\d+)", re.I)),
    ("amounts of money", re.compile(rf"[€$£¥]\s*{_NUMBER}|(?:[+\-\u2212]?\d[\d.,]*)\s*[€$£¥]")),
    (_LABELLED, re.compile(rf"{_NUMBER}\s*(?:[-\u2013\u2014=:.)]\s*|\()\D.*")),
)
_FIRST_NUMBER = re.compile(r"[+\-\u2212]?\d[\d.,]*")
_CODE = re.compile(r"(\D{1,8})(\d{1,2})")  # A1, SQ05


def _by_value(pair: tuple[str, float]) -> tuple[float, str]:
    return pair[1], pair[0]


def plain_word(text: str) -> str:
    """The word without case, spaces around it and full stops."""
    return " ".join(text.casefold().replace("\u2019", "'").split()).strip(" .!")


def scale_of(texts: Collection[str]) -> dict[str, int] | None:
    """The known scale that most of the ``texts`` are on, three of its ranks at least, or two where all are; None if
    there is none. Letters are grades where some have a sign: A, B, C and D may as well be answers to choose from."""
    plain = {plain_word(text) for text in texts}
    best = max(KNOWN, key=lambda scale: len(plain & scale.keys()))
    found = plain & best.keys()
    fewest = 2 if found == plain else 3
    if len({best[word] for word in found}) < fewest or 2 * len(found) <= len(plain):
        return None
    if best is _GRADE_SCALE and not any(word[-1] in "+-" for word in found):
        return None
    return best


def known_style(texts: Collection[str], scale: dict[str, int]) -> Style:
    """Values of the ``texts`` on a known scale: 1, 2, 3, ... for the ranks that occur; no and yes are 0 and 1."""
    on_it = {text for text in texts if plain_word(text) in scale}
    ranks = sorted({scale[plain_word(text)] for text in on_it})
    first = 0 if scale is TRUTH_SCALE else 1
    pairs = ((text, float(first + ranks.index(scale[plain_word(text)]))) for text in sorted(on_it))
    return Style(tuple(sorted(pairs, key=_by_value)), "", "words")


def ordered_style(texts: Collection[str], order: Sequence[str]) -> Style | None:
    """The scale that somebody has put in order, lowest first, for the ``texts`` of a column; None if it has none of
    its words.

    The words count 1, 2, 3, ...; no and yes count 0 and 1; words that all begin with a number count that number.
    """
    rank: dict[str, float] = {}
    numbers = [_FIRST_NUMBER.match(word.strip()) for word in order]
    values = [_value(match.group().rstrip(".,"), NumberFormat()) for match in numbers if match]
    first = 0 if len(order) == 2 and all(plain_word(word) in TRUTH_SCALE for word in order) else 1
    fronted = len(values) == len(order) == len(set(values)) and None not in values
    for place, word in enumerate(order):
        value = values[place] if fronted else None
        rank[plain_word(word)] = float(first + place) if value is None else value
    if not any(plain_word(text) in rank for text in texts):
        return None
    as_written = {plain_word(text): text for text in (*order, *sorted(texts)) if plain_word(text) in rank}
    pairs = {(text, rank[word]) for word, text in as_written.items()}
    pairs |= {(text, rank[plain_word(text)]) for text in texts if plain_word(text) in rank}
    return Style(tuple(sorted(pairs, key=_by_value)), "", _LABELLED if fronted else "words")


def natural_order(words: Collection[str]) -> tuple[str, ...] | None:
    """The order of codes such as A1, A2, ..., A5, by their number; None for other words, whose order is not known."""
    found = [_CODE.fullmatch(word.strip()) for word in words]
    if not words or not all(found) or len({match[1] for match in found if match}) > 1:
        return None
    return tuple(sorted(words, key=lambda word: int(_CODE.fullmatch(word.strip())[2])))  # type: ignore[index]


def decorated(counts: dict[str, int], plain: int, form: NumberFormat) -> Style | None:
    """The numbers in texts such as '85 %', '4 - good' or drawn stars; None where most are not decorated in one way.

    ``counts`` are the cells of each text that is not a plain number, and ``plain`` the number of cells that are. Labels
    such as '4 - good' may stand beside plain numbers; there are at most ``MOST_WORDS``, and each number has one.
    """
    texts = [text for text in counts if text and len(text) <= _LONGEST]
    total = plain + sum(counts.values())
    drawn = {text for text in texts if _DRAWN.fullmatch(text.replace("\ufe0f", ""))}
    if 2 * sum(counts[text] for text in drawn) > total:
        pairs = {(text, sum(map(text.count, _STARS)) + (FRACTIONS["½"] if "½" in text else 0.0)) for text in drawn}
        return Style(tuple(sorted(pairs, key=_by_value)), "", "drawn stars")
    for name, pattern in _FORMS:
        found = {text: match for text in texts if (match := pattern.fullmatch(text))}
        cells = sum(counts[text] for text in found) + (plain if name == _LABELLED else 0)
        if not found or 2 * cells <= total or len({match.groupdict().get("whole") for match in found.values()}) > 1:
            continue
        numbers = {text: match for text in found if (match := _FIRST_NUMBER.search(text))}
        values = {text: _value(match.group().rstrip(".,"), form) for text, match in numbers.items()}
        pairs = {(text, value) for text, value in values.items() if value is not None}
        if len(pairs) < len(found):
            continue
        ordered = tuple(sorted(pairs, key=_by_value))
        if name == _LABELLED:
            if len(pairs) > MOST_WORDS or len({value for _, value in pairs}) < len(pairs):
                continue
            return Style(ordered, "{}" if plain else "", name)
        example, match = next(iter(numbers.items()))
        before, after = (
            part.replace("{", "{{").replace("}", "}}") for part in (example[: match.start()], example[match.end() :])
        )
        return Style(ordered, f"{before}{{}}{after}", name)
    return None


def _value(text: str, form: NumberFormat) -> float | None:
    other = NumberFormat("," if form.decimal == "." else ".")
    for way in (form, other):
        if way.pattern.fullmatch(text):
            return way.value(text)
    return None


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
_KEY_NAMES = {
    *ROW_NAMES,
    *_words("""
    name names index label labels id ids identifier nr no key keys code codes sku ean gtin upc isbn asin barcode serial
    zip zipcode zipcodes postcode postcodes postalcode plz date datetime timestamp datum year month week phone telephone
    email mail matrikelnummer matrnr rownames unnamed0
    """),
}
_LAST_WORDS = frozenset(_words("id code key sku zip date number"))  # as in "participant id", "productCode"
_MOST_WORDS = 3  # of a name that is judged by its last word; a longer one is a question

# Names of rows and columns that sum up the others or say what can be reached.
SUMMARIES = frozenset(
    _words("""
    total totals grandtotal sum mean average avg median blank maximum outof pointspossible possiblepoints
    summe gesamt mittelwert durchschnitt schnitt moyenne somme media promedio suma
    """)
)
BESIDE_SUMMARIES = frozenset(
    _words("max min n count sd std stdev standarddeviation minimum anzahl")
)  # next to such a row


def plain_name(name: str) -> str:
    """The name in lower case, without spaces and signs."""
    return re.sub(r"[\W_]+", "", name.strip().casefold())


def names_rows(name: str) -> bool:
    """Whether a first column of that name holds names of rows (identifiers, dates) and not ratings; "#" does."""
    if not plain_name(name):
        return bool(name.strip())
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).casefold()
    words = re.split(r"[\W_]+", words.strip())
    return plain_name(name) in _KEY_NAMES or (1 < len(words) <= _MOST_WORDS and words[-1] in _LAST_WORDS)
