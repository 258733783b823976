"""The tables: where each comes from, which columns of it are used, and in which half it stands.

None of the data is in the repository; ``benchmarks.tables.download`` fetches the packages. A table is the numeric
columns of a data set without identifiers, design variables and dates; columns of fewer than three different values say
nothing about an imputation of numbers and are left out. Long and wide tables are cut to a random part.

The division in two halves was drawn by a seed before any result was seen. Tables that trials had looked at before the
draw (``seen``) stand in the deciding half; the others were drawn, kind by kind.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

Half = Literal["decide", "judge"]
DRAW = 16  # seed of the division
MOST_ROWS, MOST_COLUMNS = 500, 30  # of a table, unless it says otherwise


class Pivot(NamedTuple):
    """Columns of a long list: those that name row and column of the table, and that of the values."""

    row: str
    column: str
    value: str


@dataclass(frozen=True)
class TableSource:
    """A table."""

    name: str  # its name in results
    kind: str  # sort of the table
    package: str  # package that holds it, as ``benchmarks.tables.packages`` knows it
    path: str  # the data set in the package
    what: str  # rows and columns, in words
    drop: tuple[str, ...] = ()  # columns to leave out; columns to use, all others left out
    only: tuple[str, ...] = ()
    pivot: Pivot | None = None  # columns of a long list that hold rows, columns and values
    rows: int = MOST_ROWS  # size to which the table is cut
    columns: int = MOST_COLUMNS
    seen: bool = False  # whether trials had used it before the division was drawn


SURVEY, MARKS, JUDGES, SENSORY = "survey items", "marks", "judges and products", "sensory panels"
ELECTIONS, WEATHER, MIXED = "elections", "weather by place and time", "measurements with mixed units"
TIME, ECOLOGY = "people and things over time", "species by place"
R, PSYCH, TOOLS, ADE4 = "pydataset", "r-cran-psychtools", "r-cran-psychotools", "r-cran-ade4"

SOURCES = (
    TableSource("bfi", SURVEY, R, "psych/bfi", "people, statements", ("gender", "education", "age"), seen=True),
    TableSource("msq", SURVEY, R, "psych/msq", "people, moods", seen=True),
    TableSource("epi.bfi", SURVEY, R, "psych/epi.bfi", "people, scales of questionnaires", seen=True),
    TableSource("attitude", SURVEY, R, "datasets/attitude", "departments, questions to staff", seen=True),
    TableSource("YouthGratitude", SURVEY, TOOLS, "YouthGratitude", "people, statements", ("id", "age"), rows=1000),
    TableSource("Athenstaedt", SURVEY, PSYCH, "Athenstaedt", "people, statements", ("STUDIE", "gender")),
    TableSource("sai", SURVEY, PSYCH, "sai", "people, moods", ("time", "id"), rows=1000),
    TableSource(
        "Kakadu",
        SURVEY,
        R,
        "Ecdat/Kakadu",
        "people, opinions",
        only=(
            *("recparks", "jobs", "lowrisk", "wildlife", "future"),
            *("aboriginal", "finben", "mineparks", "moreparks"),
        ),
    ),
    TableSource("globalWarm", SURVEY, PSYCH, "globalWarm", "people, attitudes", ("age", "sex")),
    TableSource("Tests", MARKS, R, "sem/Tests", "people, tests", seen=True),
    TableSource(
        "HolzingerSwineford", MARKS, PSYCH, "holzinger.swineford", "pupils, tests", ("case", "ageyr", "mo", "agemo")
    ),
    TableSource("deug", MARKS, ADE4, "deug$tab", "students, exams"),
    TableSource(
        "brandsma",
        MARKS,
        "r-cran-mice",
        "brandsma",
        "pupils, tests and background",
        only=("iqv", "iqp", "ses", "lpr", "lpo", "apr", "apo"),
    ),
    TableSource("USJudgeRatings", JUDGES, R, "datasets/USJudgeRatings", "judges, criteria", seen=True),
    TableSource("biopsy", JUDGES, R, "MASS/biopsy", "samples, criteria of a pathologist", ("ID",), seen=True),
    TableSource("painters", JUDGES, R, "MASS/painters", "painters, criteria"),
    TableSource("macon", JUDGES, ADE4, "macon", "wines, judges"),
    TableSource("fruit judges", JUDGES, ADE4, "fruits$jug", "batches of fruit, judges"),
    TableSource(
        "french_fries",
        SENSORY,
        R,
        "reshape2/french_fries",
        "tastings, flavours",
        ("time", "treatment", "subject", "rep"),
        seen=True,
    ),
    TableSource("rice", SENSORY, "r-cran-rrcov", "rice", "kinds of rice, criteria"),
    TableSource("wine", SENSORY, "r-cran-factominer", "wine", "wines, descriptions"),
    TableSource("fruits", SENSORY, ADE4, "fruits$var", "batches of fruit, descriptions"),
    TableSource("votes.repub", ELECTIONS, R, "cluster/votes.repub", "states, elections", seen=True),
    TableSource("Florida", ELECTIONS, R, "car/Florida", "counties, candidates", seen=True),
    TableSource("elec88", ELECTIONS, ADE4, "elec88$tab", "departments, candidates"),
    TableSource("presid2002", ELECTIONS, ADE4, "presid2002$tour1", "departments, candidates and turnout"),
    TableSource("UKHouseOfCommons", ELECTIONS, R, "pscl/UKHouseOfCommons", "constituencies, votes"),
    TableSource("AustralianPolls", ELECTIONS, R, "pscl/AustralianElectionPolling", "polls, parties", ("sampleSize",)),
    TableSource("ambientNOxCH", WEATHER, R, "robustbase/ambientNOxCH", "days, places", seen=True),
    TableSource("airquality", WEATHER, R, "datasets/airquality", "days, measurements", ("Month", "Day"), seen=True),
    TableSource("elnino", WEATHER, "statsmodels", "elnino/elnino.csv", "years, months", ("YEAR",)),
    TableSource("windspeed", WEATHER, "r-cran-mice", "windspeed", "days, places"),
    TableSource("tao", WEATHER, "r-cran-vim", "tao", "hours, measurements at sea", ("Year", "Latitude", "Longitude")),
    TableSource("t3012", WEATHER, ADE4, "t3012$temp", "towns, months"),
    TableSource("Ozone", WEATHER, "r-cran-mlbench", "Ozone", "days, measurements"),
    TableSource("Boston", MIXED, R, "MASS/Boston", "districts, figures", ("chas",), seen=True),
    TableSource("heptathlon", MIXED, R, "HSAUR/heptathlon", "athletes, events", seen=True),
    TableSource("Caschool", MIXED, R, "Ecdat/Caschool", "schools, figures", ("distcod",), seen=True),
    TableSource("Guerry", MIXED, R, "HistData/Guerry", "departments, figures", ("dept",), seen=True),
    TableSource("Cars93", MIXED, R, "MASS/Cars93", "cars, figures"),
    TableSource("barro", MIXED, R, "quantreg/barro", "countries, figures"),
    TableSource("Soils", MIXED, R, "car/Soils", "samples of soil, measurements", ("Group", "Block")),
    TableSource("breast cancer", MIXED, "scikit-learn", "breast_cancer", "samples, measurements of cells"),
    TableSource("diabetes", MIXED, "scikit-learn", "diabetes", "patients, measurements"),
    TableSource("wines", MIXED, "scikit-learn", "wine", "wines, chemical analysis"),
    TableSource("mammalsleep", MIXED, "r-cran-mice", "mammalsleep", "species, figures"),
    TableSource("UScereal", MIXED, R, "MASS/UScereal", "cereals, figures", ("shelf",)),
    TableSource("phosphate", TIME, R, "HSAUR/phosphate", "people, hours", seen=True),
    TableSource(
        "fertility",
        TIME,
        "statsmodels",
        "fertility/fertility.csv",
        "countries, years",
    ),
    TableSource(
        "unemployment",
        TIME,
        R,
        "plm/Produc",
        "states, years",
        pivot=Pivot("state", "year", "unemp"),
    ),
    TableSource("dietox", TIME, R, "geepack/dietox", "pigs, weeks", pivot=Pivot("Pig", "Time", "Weight")),
    TableSource("BtheB", TIME, R, "HSAUR/BtheB", "patients, months"),
    TableSource("incomeInequality", TIME, R, "Ecdat/incomeInequality", "years, shares of income", ("Year",)),
    TableSource("wages", TIME, R, "plm/Males", "men, years", pivot=Pivot("nr", "year", "wage")),
    TableSource("varespec", ECOLOGY, "r-cran-vegan", "varespec", "places, species"),
    TableSource("mite", ECOLOGY, "r-cran-vegan", "mite", "samples, species"),
)


def halves(sources: tuple[TableSource, ...] = SOURCES) -> dict[str, Half]:
    """The half of each table, by name: half of each kind is drawn to judge, of the tables that nobody had seen."""
    rng = np.random.default_rng(DRAW)
    found: dict[str, Half] = {source.name: "decide" for source in sources}
    odd = 0
    for kind in dict.fromkeys(source.kind for source in sources):
        of_kind = [source for source in sources if source.kind == kind]
        unseen = [source.name for source in of_kind if not source.seen]
        wanted = (len(of_kind) + odd) // 2
        odd = (len(of_kind) + odd) % 2
        for name in rng.permutation(unseen)[:wanted].tolist():
            found[name] = "judge"
    return found
