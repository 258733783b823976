"""The words that files use for columns, sums and answers, collected by hand from public data and survey tools.

Names of columns are compared without case, spaces and signs: "User ID" and "user_id" are ``userid``.
"""

from __future__ import annotations

import re


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


# Names of the columns of a long table; of several in one file, the one that stands first here is taken.
ROW_NAMES = _words("""
    userid user users uid row rowid rater raterid reviewer reviewerid customer customerid person personid reader
    respondent student username
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

# Names of rows and columns that sum up the others.
SUMMARIES = frozenset(
    _words("""
    total totals sum mean average avg median
    summe gesamt mittelwert durchschnitt schnitt
    moyenne somme
    media promedio suma
    """)
)

# Texts that stand for yes or no in a cell.
TRUTHS = frozenset(
    _words("""
    yes no true false like dislike up down \N{THUMBS UP SIGN} \N{THUMBS DOWN SIGN}
    ja nein
    oui non
    si sí
    """)
)


def plain(name: str) -> str:
    """The name in lower case, without spaces and signs."""
    return re.sub(r"[\W_]+", "", name.strip().casefold())


def names_rows(name: str) -> bool:
    """Whether a first column of that name holds names of rows (identifiers, dates) and not ratings; "#" does."""
    if not plain(name):
        return bool(name.strip())
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).casefold()
    words = re.split(r"[\W_]+", words.strip())
    return plain(name) in _KEY_NAMES or (1 < len(words) <= _MOST_WORDS and words[-1] in _LAST_WORDS)
