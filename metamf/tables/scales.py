"""Known scales of words, lowest first, and the words that files use for sums and for columns."""

from __future__ import annotations

import re

_TONES = re.compile("[\U0001f3fb-\U0001f3ff\ufe0e\ufe0f]")

# Words of one rank mean the same. The last two are grades, and no and yes.
_SCALES = """
strongly disagree|disagree strongly|completely disagree|totally disagree < disagree
  < somewhat disagree|slightly disagree|rather disagree|mildly disagree
  < neutral|neither agree nor disagree|undecided|neither|no opinion
  < somewhat agree|slightly agree|rather agree|mildly agree < agree
  < strongly agree|agree strongly|completely agree|totally agree
pas du tout d'accord < pas d'accord|plutôt pas d'accord
  < neutral|neutre|sans opinion|ni d'accord ni pas d'accord|ni en désaccord ni d'accord
  < d'accord|plutôt d'accord < tout à fait d'accord
stimme überhaupt nicht zu|stimme gar nicht zu|trifft überhaupt nicht zu|trifft gar nicht zu
  < stimme nicht zu|stimme eher nicht zu|trifft nicht zu|trifft eher nicht zu
  < neutral|teils teils|teils/teils|teils, teils|weder noch|unentschieden
  < stimme zu|stimme eher zu|trifft zu|trifft eher zu
  < stimme voll zu|stimme voll und ganz zu|stimme völlig zu|trifft voll zu|trifft voll und ganz zu
totalmente en desacuerdo|muy en desacuerdo < en desacuerdo|algo en desacuerdo
  < neutral|ni de acuerdo ni en desacuerdo|indiferente < de acuerdo|algo de acuerdo
  < totalmente de acuerdo|muy de acuerdo
discordo totalmente|discordo completamente < discordo|discordo parcialmente
  < neutro|nem concordo nem discordo|indiferente|não concordo nem discordo
  < concordo|concordo parcialmente < concordo totalmente|concordo completamente
per niente d'accordo|totalmente in disaccordo|completamente in disaccordo
  < poco d'accordo|in disaccordo|non d'accordo < né d'accordo né in disaccordo|neutrale|indifferente
  < d'accordo|abbastanza d'accordo < molto d'accordo|completamente d'accordo|totalmente d'accordo
helemaal mee oneens|zeer mee oneens < mee oneens|oneens < neutraal|niet mee eens, niet mee oneens
  < mee eens|eens < helemaal mee eens|zeer mee eens
very dissatisfied|very unsatisfied|extremely dissatisfied < dissatisfied|unsatisfied
  < somewhat dissatisfied|slightly dissatisfied
  < neutral|neither satisfied nor dissatisfied < somewhat satisfied|slightly satisfied < satisfied
  < very satisfied|extremely satisfied
sehr unzufrieden < unzufrieden|eher unzufrieden < neutral|teils teils|weder noch
  < zufrieden|eher zufrieden < sehr zufrieden
très insatisfait|pas du tout satisfait < insatisfait|peu satisfait|plutôt insatisfait
  < neutre|ni satisfait ni insatisfait < satisfait|plutôt satisfait|assez satisfait
  < très satisfait|tout à fait satisfait
muy insatisfecho < insatisfecho < neutral|ni satisfecho ni insatisfecho < satisfecho
  < muy satisfecho
never < almost never|hardly ever|very rarely < rarely|seldom < sometimes|occasionally
  < often|frequently|usually < very often|almost always|very frequently < always
nie|niemals < selten < manchmal|gelegentlich < oft|häufig < sehr oft|meistens < immer
jamais < rarement < parfois|quelquefois < souvent < très souvent < toujours
nunca < casi nunca < rara vez|raramente < a veces|algunas veces|às vezes
  < a menudo|frecuentemente|frequentemente|muchas veces < casi siempre|quase sempre
  < siempre|sempre
mai < raramente < talvolta|qualche volta|a volte < spesso < quasi sempre < sempre
terrible|awful < very poor|very bad < poor|bad < fair|okay|ok|average|acceptable|regular < good
  < very good < excellent|outstanding
sehr schlecht < schlecht < mittelmäßig|mittel|durchschnittlich < gut < sehr gut < ausgezeichnet
très mauvais < mauvais|médiocre < moyen|passable < bon < très bon < excellent
muy malo|muy mal < malo|mal < regular < bueno|bien < muy bueno|muy bien < excelente
not at all|none < slightly|a little|a little bit < somewhat|moderately
  < quite|quite a bit|mostly|considerably < very|very much|a lot < extremely|completely
gar nicht|überhaupt nicht < wenig|kaum|etwas < mittelmäßig|teilweise < ziemlich|überwiegend
  < sehr|völlig
not important|not at all important|unimportant < slightly important|less important
  < moderately important|somewhat important|neutral < important|fairly important
  < very important < extremely important
very unlikely|extremely unlikely|definitely not < unlikely|probably not
  < neutral|possible|maybe|neither likely nor unlikely < likely|probably
  < very likely|extremely likely|definitely
very easy < easy < moderate|medium|neutral < difficult|hard < very difficult|very hard
negligible < very low < low|minor < medium|moderate < high|major < very high|severe
  < extreme|critical
sehr niedrig|sehr gering < niedrig|gering < mittel < hoch < sehr hoch
much worse < worse|somewhat worse < about the same|the same|same|no change
  < better|somewhat better < much better
fail|insufficient < pass|sufficient < merit|satisfactory < distinction
daily < several times a week|weekly < several times a month|monthly < several times a year|yearly
no schooling < primary school|primary < secondary school|secondary
  < college/bachelor degree|bachelor|bachelor's degree < master|masters degree|master's degree
  < doctorate|doctorate degree|phd
f < e < d- < d < d+ < c- < c < c+ < b- < b < b+ < a- < a < a+
no|false|nein|non|dislike|down|falsch|não|nee|\N{THUMBS DOWN SIGN}
  < maybe|vielleicht|peut-être|unsure
  < yes|true|ja|oui|si|sí|sim|like|up|richtig|\N{THUMBS UP SIGN}
"""
Scale = dict[str, int]  # plain word -> rank
KNOWN: tuple[Scale, ...] = tuple(
    {
        word: rank
        for rank, words in enumerate(" ".join(scale.split()).split(" < "))
        for word in words.split("|")
    }
    for scale in re.split(r"\n(?! )", _SCALES.strip())
)


def plain_word(text: str) -> str:
    """The word without case, spaces around it, full stops and tones of skin; strongly_agree is
    "strongly agree"."""
    text = _TONES.sub("", text.casefold()).replace("\u2019", "'")
    return " ".join(text.replace("_", " ").split()).strip(" .!")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Names of the columns of a long table.
ROW_NAMES = _words("""
    userid user users uid rater raterid reviewer reviewerid customer customerid person personid
    reader respondent student username member worker annotator assessor judge panelist participant
    subject row
""")
COLUMN_NAMES = _words("""
    itemid item movieid movie iid product productid film filmid book bookid isbn joke jokeid song
    songid artist artistid asin question stim stimulus forum paper wine dish task column title name
""")
VALUE_NAMES = _words("""
    rating ratings value score scores stars grade mark vote preference bookrating resp response
    answer yourrating myrating points
""")

RATING_WORDS = _words("rating ratings stars")  # of a column in which 0 may mean "not rated"

# Names of a first column that holds the names of the rows.
_KEY_NAMES = _words("""
    name names index label labels id ids identifier nr no key keys code codes sku ean gtin upc isbn
    asin barcode serial zip zipcode postcode plz date datetime timestamp datum year month week time
    phone telephone email mail matrikelnummer matrnr rownames unnamed0 case seqno respid
""")
_LAST_WORDS = ("id", "code", "key", "sku", "zip", "date", "number")  # participant id, productCode
_LONGEST = 200  # characters of a name that are looked at
_MOST_WORDS = 3  # of a name that is judged by its last word; a longer one is a question

TOTALS = _words("""
    total totals subtotal sum mean average avg median summe gesamt gesamtnote gesamtpunkte
    mittelwert durchschnitt schnitt moyenne somme promedio suma totale media ø
""")
LIMITS = _words("""
    max maximum maximal possible reachable erreichbar möglich máximo massimo weight weights
    weighting gewicht gewichtung poids peso coef coefficient key eweight gweight
""")
BESIDE_TOTALS = _words("max min n count sd std stdev minimum maximum anzahl quartile")


def plain_name(name: str) -> str:
    """The name in lower case, without spaces and signs."""
    return re.sub(r"[\W_]+", "", name.strip().casefold())


def words_of(name: str) -> list[str]:
    """The words of a name in lower case, also of productCode."""
    apart = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name[:_LONGEST])
    return [word for word in re.split(r"[\W_]+", apart.casefold()) if word]


def says_total(name: str) -> bool:
    """Whether a name says that it is a total or a mean of others: in its first or its last word, a
    unit or a number in parentheses apart."""
    plain = re.sub(r"[(\[][^()\[\]]*[)\]]", " ", name[:_LONGEST])
    words = words_of(plain) or words_of(name)
    words = [word for word in words if not word.isdecimal()]
    return bool(words) and (words[0] in TOTALS or words[-1] in TOTALS) and len(words) <= 4


def is_total(label: str) -> bool:
    """Whether the label of a line says that it is a total or a mean: in its last word."""
    words = [word for word in words_of(label) if not word.isdecimal()]
    return bool(words) and words[-1] in TOTALS and len(words) <= 4


def says_limits(name: str) -> bool:
    """Whether a line of that name says what the columns weigh or can reach, such as "max.
    points"."""
    words = words_of(name)
    return bool(words) and len(words) <= 4 and not LIMITS.isdisjoint(words)


def names_rows(name: str) -> bool:
    """Whether a first column of that name holds names of rows: identifiers, dates; "#" does."""
    plain = plain_name(name)
    words = words_of(name)
    if not plain:
        return bool(name.strip())
    if plain in ROW_NAMES or plain in _KEY_NAMES:
        return True
    return 1 < len(words) <= _MOST_WORDS and words[-1] in _LAST_WORDS
