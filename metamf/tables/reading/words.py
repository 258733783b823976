"""Words and decorated numbers that stand for ratings: "Agree", "often", "85 %", "4 stars", "4 - good", drawn stars.

A column of such texts is a column of ratings like any other: each text has a value, and an estimate is written as the
column's own texts are.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from metamf.tables.reading.numerals import NumberFormat
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


# Scales of words, lowest first; words of one rank mean the same. Collected by hand from survey tools and public data.
_AGREEMENT = (
    "strongly disagree|disagree strongly|completely disagree|totally disagree|stimme gar nicht zu|"
    "stimme überhaupt nicht zu|pas du tout d'accord|muy en desacuerdo",
    "disagree|stimme nicht zu|lehne ab|pas d'accord|en desacuerdo",
    "somewhat disagree|slightly disagree|rather disagree|stimme eher nicht zu|plutôt pas d'accord",
    "neutral|neither agree nor disagree|undecided|teils teils|teils, teils|teils/teils|weder noch|weder/noch|"
    "unentschieden|sans opinion|ni d'accord ni pas d'accord|ni de acuerdo ni en desacuerdo",
    "somewhat agree|slightly agree|rather agree|stimme eher zu|plutôt d'accord",
    "agree|stimme zu|d'accord|de acuerdo",
    "strongly agree|agree strongly|completely agree|totally agree|stimme voll zu|stimme voll und ganz zu|"
    "stimme völlig zu|tout à fait d'accord|muy de acuerdo",
)
_SATISFACTION = (
    "very dissatisfied|very unsatisfied|sehr unzufrieden|très insatisfait|muy insatisfecho",
    "dissatisfied|unsatisfied|unzufrieden|insatisfait|insatisfecho",
    "somewhat dissatisfied|eher unzufrieden",
    "neutral|neither satisfied nor dissatisfied|teils teils|teils/teils|weder noch",
    "somewhat satisfied|eher zufrieden",
    "satisfied|zufrieden|satisfait|satisfecho",
    "very satisfied|sehr zufrieden|très satisfait|muy satisfecho",
)
_FREQUENCY = (
    "never|nie|niemals|jamais|nunca",
    "rarely|seldom|selten|rarement|rara vez|raramente",
    "sometimes|occasionally|manchmal|gelegentlich|parfois|a veces",
    "often|frequently|usually|oft|häufig|souvent|a menudo|con frecuencia",
    "very often|almost always|sehr oft|très souvent",
    "always|immer|toujours|siempre",
)
_QUALITY = (
    "terrible|awful|sehr schlecht|très mauvais|muy malo",
    "very poor|very bad",
    "poor|bad|schlecht|mauvais|malo",
    "fair|okay|ok|average|acceptable|mittel|mittelmäßig|passable|moyen|regular",
    "good|gut|bon|bueno",
    "very good|sehr gut|très bon|muy bueno",
    "excellent|outstanding|ausgezeichnet|hervorragend|excelente",
)
_AMOUNT = (
    "not at all|none|gar nicht|überhaupt nicht|pas du tout|nada",
    "slightly|a little|kaum|wenig|un peu|poco",
    "somewhat|moderately|etwas|mittelmäßig|mäßig|moyennement",
    "quite|quite a bit|mostly|ziemlich|überwiegend|assez|bastante",
    "very|very much|a lot|sehr|beaucoup|mucho",
    "extremely|completely|äußerst|völlig|énormément",
)
_IMPORTANCE = (
    "not important|not at all important|unimportant|unwichtig|pas important",
    "slightly important|less important|weniger wichtig|peu important",
    "moderately important|neutral|teils teils",
    "important|wichtig|importante",
    "very important|sehr wichtig|très important|muy importante",
    "extremely important",
)
_LIKELIHOOD = (
    "very unlikely|extremely unlikely|sehr unwahrscheinlich|très improbable",
    "unlikely|unwahrscheinlich|improbable",
    "neutral|possible|vielleicht|maybe",
    "likely|wahrscheinlich|probable",
    "very likely|extremely likely|sehr wahrscheinlich|très probable",
)
_LEVEL = (
    "very low|sehr niedrig",
    "low|niedrig|bas|bajo",
    "medium|mittel|moyen|medio",
    "high|hoch|haut|alto",
    "very high",
)
_TRUTH = (
    "no|false|nein|non|dislike|down|falsch|\N{THUMBS DOWN SIGN}",
    "maybe|vielleicht|peut-être|unsure",
    "yes|true|ja|oui|si|sí|like|up|richtig|\N{THUMBS UP SIGN}",
)
KNOWN = tuple(
    {word: rank for rank, words in enumerate(scale) for word in words.split("|")}
    for scale in (_AGREEMENT, _SATISFACTION, _FREQUENCY, _QUALITY, _AMOUNT, _IMPORTANCE, _LIKELIHOOD, _LEVEL, _TRUTH)
)
_FEWEST_ON_A_SCALE, _MOST_STRANGERS = 3, 2  # different words of a column
MOST_WORDS = 11  # different words of a scale
_LONGEST = 200  # characters of a number with what is around it; a longer text is none
_TRUTH_AT = len(KNOWN) - 1


def plain_word(text: str) -> str:
    """The word without case, spaces around it and full stops."""
    return " ".join(text.casefold().replace("\u2019", "'").split()).strip(" .!")


def known_scales(columns: Sequence[Collection[str]]) -> list[Style | None]:
    """The scale of each column of words, by the different texts of each; None for a column without one.

    Columns whose words are all in one of ``KNOWN`` share a scale. Of its ranks those count that occur in one of them:
    1, 2, 3, ...; no and yes are 0 and 1.
    """
    found: list[Style | None] = [None] * len(columns)
    for at, scale in enumerate(KNOWN):
        mine = [
            j
            for j, texts in enumerate(columns)
            if found[j] is None and texts and all(plain_word(text) in scale for text in texts)
        ]
        together = {text for j in mine for text in columns[j]}
        ranks = sorted({scale[plain_word(text)] for text in together})
        if len(ranks) < 2:
            continue
        first = 0 if at == _TRUTH_AT else 1
        pairs = ((text, float(first + ranks.index(scale[plain_word(text)]))) for text in sorted(together))
        style = Style(tuple(sorted(pairs, key=lambda pair: pair[1])), "", "words")
        for j in mine:
            found[j] = style
    return found


def strangers_of(texts: Collection[str]) -> tuple[str, ...]:
    """The texts of a column that are not on the scale of words that most of them are on; () where they are all on one,
    or there is no such scale, or more than ``_MOST_STRANGERS`` are not."""
    best = max(KNOWN[:_TRUTH_AT], key=lambda scale: sum(plain_word(text) in scale for text in texts))
    strangers = tuple(text for text in texts if plain_word(text) not in best)
    on_it = len({plain_word(text) for text in texts if plain_word(text) in best})
    return strangers if on_it >= _FEWEST_ON_A_SCALE and len(strangers) <= _MOST_STRANGERS else ()


def ordered_scale(texts: Collection[str], order: Sequence[str]) -> Style | None:
    """The scale that somebody has put in order, lowest first, for the ``texts`` of a column; None if it lacks one.

    The words count 1, 2, 3, ...; two words, of which one says yes, count 0 and 1.
    """
    rank = {plain_word(word): place for place, word in enumerate(order)}
    if not texts or any(plain_word(text) not in rank for text in texts):
        return None
    first = 0 if len(rank) == 2 and all(word in KNOWN[_TRUTH_AT] for word in rank) else 1
    as_written = {plain_word(text): text for text in (*order, *sorted(texts))}  # as the column writes it, if it does
    pairs = [(text, float(first + rank[word])) for word, text in as_written.items()]
    pairs += [(text, float(first + rank[plain_word(text)])) for text in texts if text not in as_written.values()]
    return Style(tuple(sorted(pairs, key=lambda pair: pair[1])), "", "words")


_STARS = "\u2605\u2b50*"  # filled ones
_EMPTY_STARS = "\u2606\u2729"
_DRAWN = re.compile(f"[{re.escape(_STARS + _EMPTY_STARS)}\ufe0f]+")
_NUMBER = r"(?P<number>[+\-\u2212]?\d[\d.,]*)"
_FORMS = (  # name, pattern; a text with a suffix or a prefix keeps it, one with a label is known by it
    ("percentages", re.compile(rf"{_NUMBER}\s*%")),
    ("stars", re.compile(rf"{_NUMBER}\s*(?:stars?|sterne?|étoiles?|estrellas?|[\u2605\u2b50]\ufe0f?)", re.I)),
    ("points", re.compile(rf"{_NUMBER}\s*(?:points?|pts?\.?|pkt\.?|punkte?|puntos?)", re.I)),
    ("parts of a whole", re.compile(rf"{_NUMBER}\s*(?:/|(?:out )?of|von|sur)\s*(?P<whole>\d+)", re.I)),
    ("amounts of money", re.compile(rf"[€$£¥]\s*{_NUMBER}|(?:[+\-\u2212]?\d[\d.,]*)\s*[€$£¥]")),
    ("numbers with a label", re.compile(rf"{_NUMBER}\s*(?:[-\u2013\u2014=:.)]\s*|\()\D.*")),
)
_LABELLED = "numbers with a label"
_FIRST_NUMBER = re.compile(r"[+\-\u2212]?\d[\d.,]*")


def decorated(texts: Sequence[str], form: NumberFormat) -> Style | None:
    """The numbers in ``texts`` that are all decorated in one way, as in '85 %'; None if they are not.

    Of labels as in '4 - good' there are at most ``MOST_WORDS``, and each number has one.
    """
    stripped = [text.strip() for text in texts]
    if not stripped or max(map(len, stripped)) > _LONGEST:
        return None
    if all(_DRAWN.fullmatch(text) for text in stripped):
        pairs = [(text, float(sum(text.count(star) for star in _STARS))) for text in stripped]
        return Style(tuple(sorted(set(pairs), key=lambda pair: pair[1])), "", "drawn stars")
    for name, pattern in _FORMS:
        found = [pattern.fullmatch(text) for text in stripped]
        if not all(found) or len({match.groupdict().get("whole") for match in found if match}) > 1:
            continue
        numbers = [_FIRST_NUMBER.search(text) for text in stripped]
        read = [_value(match.group(), form) for match in numbers if match]
        values = [value for value in read if value is not None]
        if len(values) < len(stripped):
            continue
        pairs = tuple(sorted(set(zip(stripped, values)), key=lambda pair: pair[1]))
        if name == _LABELLED:
            if len(pairs) > MOST_WORDS or len({value for _, value in pairs}) < len(pairs):
                continue
            return Style(pairs, "", name)
        start, end = next(match.span() for match in numbers if match)
        around = stripped[0][:start], stripped[0][end:]
        before, after = (part.replace("{", "{{").replace("}", "}}") for part in around)
        return Style(pairs, f"{before}{{}}{after}", name)
    return None


def _value(text: str, form: NumberFormat) -> float | None:
    other = NumberFormat("," if form.decimal == "." else ".")
    for way in (form, other):
        if way.pattern.fullmatch(text):
            return way.value(text)
    return None
