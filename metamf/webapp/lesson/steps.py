"""The seven steps of the lesson as data. The page, the speaker's notes and the handout are all made from them.

Numbers about a matrix are not written here: ``metamf.webapp.lesson.answers`` computes them. The paper's sections:
step 1 the problem (3.1), 2 matrix factorization alone (1), 3 to 5 the model (3.2), 6 meta-training (3.3), 7 (4).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from metamf.webapp.matrix.choices import AppState

MATRIX = "Film club"  # the example used throughout the lesson
FAR = "Two tastes"  # tastes that the learned prior does not fit
POPULAR = "Popular few"  # people rate what they like, so the given ratings are too high
JOKES = "Jokes"  # another kind of table, on another scale
PAPER, EXTENDED = "ml-1m", "universal"  # checkpoints
FILL_IN, WATCH, COMPARE = "pages/fill_in.py", "pages/watch.py", "pages/compare.py"
INSIDE, TRAIN = "pages/inside.py", "pages/train.py"
STEP_PARAMETER = "lesson"  # the step's number in the URL
PLAYER_PREFIX = "lesson_"  # of the player's names in the URL: lesson_t, lesson_cell


@dataclass(frozen=True)
class Choice:
    """A question with several answers, one of which is right."""

    prompt: str
    options: tuple[str, ...]


@dataclass(frozen=True)
class Number:
    """A question whose answer is one of the numbers from ``low`` to ``high``, followed by ``unit``."""

    prompt: str
    low: int
    high: int
    step: int = 1
    unit: str = ""


@dataclass(frozen=True)
class Try:
    """Something to try on another page.

    Attributes
    ----------
    label : text of the button
    page : the page that it opens
    do : what to do there and what to look for
    state : choices in the sidebar; all others are those of ``AppState()``
    query : URL parameters that belong to no widget
    widgets : values of widgets on that page, by key
    """

    label: str
    page: str
    do: str
    state: dict[str, Any] = field(default_factory=dict)
    query: dict[str, str] = field(default_factory=dict)
    widgets: dict[str, Any] = field(default_factory=dict)

    @property
    def asked(self) -> AppState:
        """The choices in the sidebar that the page opens with."""
        return AppState(**{"data": MATRIX, "model": PAPER} | self.state)


@dataclass(frozen=True)
class Step:
    """One step of the lesson.

    Attributes
    ----------
    key : names the step's picture and answer
    title, sentence, more : heading, the sentence to take home, and smaller text below the picture
    minutes : time for the step in class
    question : students predict the answer before it is revealed
    trial : one thing to try
    words : keys of the glossary terms introduced here
    notes : the lecturer's notes, in order
    """

    key: str
    title: str
    minutes: int
    sentence: str
    more: str
    question: Choice | Number
    trial: Try
    words: tuple[str, ...]
    notes: tuple[str, ...]


STEPS = (
    Step(
        key="empty",
        title="The empty matrix",
        minutes=6,
        sentence="Each row is a person, each column a film and each number a rating, but most cells are empty, and we "
        "want to estimate the missing ratings.",
        more="The people and films are made up, so we know the true rating of every cell. Coloured cells are given to "
        "the model; all others are hidden from it.",
        question=Number("What would this person give to this film?", 1, 5, unit="stars"),
        trial=Try(
            "Give the model fewer ratings",
            FILL_IN,
            "In the sidebar, show the model 20 % of the ratings, then 50 %, then 80 %. With which share is the model "
            "furthest ahead of the best simple method?",
            {"keep": 20},
        ),
        words=("rating-matrix", "given", "hidden", "rmse"),
        notes=(
            "Give the room half a minute with the picture before you speak. What do we know, and what not?",
            "Read one row and one column aloud. All we know about a cell comes from its row, its column and the rest "
            "of the matrix.",
            "Ask for a show of hands on the marked cell, enter the most common guess, then reveal the answer. Ask for "
            "reasons: most people use the person's other ratings and the film's other ratings, so they average a row "
            "and a column. This lesson is about what lies beyond these averages.",
            "Real matrices are far emptier. Below the picture is the share of cells the paper's model was given in "
            "training.",
        ),
    ),
    Step(
        key="alone",
        title="Matrix factorization alone",
        minutes=8,
        sentence="Matrix factorization describes every person and every film by a few numbers, called factors, and "
        "estimates a rating as the sum of their products.",
        more="The factors are fitted to the given ratings. With few ratings, many different factors fit equally well, "
        "and nothing in the matrix tells which of them get the hidden cells right.",
        question=Choice(
            "MF now fits the given ratings very closely. How does its error on the hidden cells compare with always "
            "guessing the mean?",
            ("clearly smaller", "about the same", "clearly larger"),
        ),
        trial=Try(
            "Compare MF with other methods",
            COMPARE,
            "Find MF and Mean in the table. Then show the model 100 % of the ratings and look again. Does MF need more "
            "ratings than the other methods?",
        ),
        words=("factorization", "factor", "rank", "mf", "overfitting", "regularization", "baseline"),
        notes=(
            "Write U times V transposed on the board, and one cell as the inner product of two short rows of numbers.",
            "Count together how many numbers are fitted and how many ratings are given. Both are below the picture.",
            "Before the reveal, only the error on the given cells is drawn. Ask where the other curve will go, and let "
            "somebody draw it in the air.",
            "After the reveal: a strong penalty on large factors turns every estimate into the mean. A well-chosen "
            "penalty can help a little, but who can choose it without seeing the hidden ratings?",
        ),
    ),
    Step(
        key="prior",
        title="What a prior is",
        minutes=7,
        sentence="A prior states what the factors probably are before they are fitted, and how firmly we believe it.",
        more="Fitting then looks for factors that agree with both the given ratings and the prior. A person with few "
        "ratings stays near the prior; a person with many ratings can move away from it.",
        question=Choice(
            "We take the same ten steps on the same ratings, from different prior means. Which one ends with the "
            "smallest error on the hidden cells?",
            ("all factors zero", "random numbers", "the means of the columns", "the learned prior"),
        ),
        trial=Try(
            "Race the starts yourself",
            INSIDE,
            "Move T, η and λ. Can you make another start win? Can you make the steps diverge, and what does the page "
            "say about it?",
            widgets={"experiment": "A race of starts"},
        ),
        words=("prior", "prior-mean", "lambda", "standardised"),
        notes=(
            "An everyday prior: a new restaurant has a single review, with five stars. Nobody believes it is the best "
            "in town; we all move the five towards what restaurants are usually like.",
            "The penalty in ordinary MF is a prior, too. It expects every factor to be zero, so every rating to be "
            "average. Without other matrices, you cannot expect anything better.",
            "Steps that start exactly at zero never move: the step for a row multiplies by the factors of the "
            "columns, which are zero, and the other way round.",
            "After the reveal, point at step 0. The learned prior alone need not beat the mean. What matters is where "
            "the steps lead from there.",
        ),
    ),
    Step(
        key="network",
        title="Where this prior comes from",
        minutes=7,
        sentence="A neural network reads the given ratings and proposes the factors that every person and every film "
        "starts from.",
        more="Its layers combine each given cell with the averages of its row, its column and the whole matrix. "
        "Averaging over a row gives the prior mean of a person, and over a column that of a film. An average takes any "
        "number of ratings in any order, so one network reads matrices of every size.",
        question=Choice(
            "We shuffle the rows and the columns and ask the network again. What happens to the prior mean of a "
            "person?",
            ("it is the same, and moves with the person", "it changes a little", "the network has to be trained again"),
        ),
        trial=Try(
            "Shuffle it yourself",
            INSIDE,
            "Shuffle the rows, then the columns, then take only half of the rows. When must the answer stay the same, "
            "and when may it change? What does MF do?",
            widgets={"experiment": "No shared rows or columns"},
        ),
        words=("exchangeable", "checkpoint"),
        notes=(
            "The network knows no names. It sees numbers, and which of them share a row or a column.",
            "In ordinary statistics, you write down the prior before you see the data. Here the network looks at the "
            "given ratings first, and brings its knowledge from other matrices.",
            "Let the room argue about the shuffle before you reveal the answer. If somebody expects a change, ask what "
            "would cause it.",
        ),
    ),
    Step(
        key="steps",
        title="The MAP steps",
        minutes=9,
        sentence="Each step moves all factors a little: the given ratings pull them towards a better fit, and the "
        "prior pulls them back.",
        more="Eqs. (6) and (7) of the paper describe one such step. Every step is a formula that can be "
        "differentiated, so the error after the last step can be traced back to the network and used to train it.",
        question=Choice(
            "The model was trained with ten steps and now takes forty. The error on the given cells keeps falling. "
            "What does the error on the hidden cells do?",
            ("it keeps falling, too", "it stays where it was after ten", "it falls at first, and then rises"),
        ),
        trial=Try(
            "Take forty steps",
            WATCH,
            "Play all forty steps and watch both error curves. At which step is the error on the hidden cells "
            "smallest? What does the error on the given cells do meanwhile?",
            {"steps": 40},
            {"t": "0"},
        ),
        words=("map", "map-step", "step-size", "residual"),
        notes=(
            "Go through the ten steps slowly, first looking only at the product, then again at the factors.",
            "Click one given cell. How hard do the ratings pull, and how hard the prior? Follow both over the steps.",
            "Think of springs: one for each given rating, and one to the prior. Lambda is the stiffness of the last.",
            "After the reveal, compare with the curve of MF in step 2. The fit to the given ratings keeps improving in "
            "both; the difference is the prior, which pulls back at every step.",
        ),
    ),
    Step(
        key="training",
        title="Training across matrices that share nothing",
        minutes=7,
        sentence="The network practises on many matrices of other people and other things: it fills in ratings that "
        "were held back, and is corrected by its errors.",
        more="One such exercise is an episode. Its given ratings are the support, the ratings held back are the query. "
        "Only the network and the strength of the prior are kept. Every matrix gets new factors, so no person or film "
        "has to appear twice.",
        question=Choice(
            "One model was trained on film ratings only, another on ratings of jokes. On jokes, how much of the "
            "second model's gain over the mean does the first one reach?",
            ("almost nothing", "about half", "nearly all"),
        ),
        trial=Try(
            "Train one yourself",
            TRAIN,
            "Start training from random weights and watch the learning curve. When does the network beat the mean? "
            "What happens with a much larger learning rate?",
        ),
        words=("meta-learning", "meta-training", "episode", "support", "query", "seed"),
        notes=(
            "Compare it with school: many small exercises, each with its own names, graded on the part that was "
            "hidden.",
            "The network learns habits: how much a person's average tells, how much a film's, and how far to trust "
            "three ratings. Habits carry over to other people.",
            "The answer comes from many real blocks, measured again for this app. One small matrix proves little, but "
            "it is worth a look: the matrix Jokes on the page Compare.",
        ),
    ),
    Step(
        key="trust",
        title="When to trust it",
        minutes=6,
        sentence="Check the estimates on ratings held back: do they beat a simple method, and does the true rating lie "
        "inside the interval as often as promised?",
        more="A model cannot tell that a table differs from those it was trained on. With other tastes, sizes or "
        "habits, it may do worse than the mean or give intervals that are too short.",
        question=Number(
            "Here people mostly rate what they like. The model gives a 90 % interval for each hidden rating. What "
            "percentage of the hidden ratings lies inside?",
            0,
            100,
            unit="%",
        ),
        trial=Try(
            "Where it hurts",
            FILL_IN,
            "In the matrix Two tastes, half of the people love what the other half cannot stand. Does the model beat "
            "the mean? Show the errors: which tastes did it miss?",
            {"data": FAR},
        ),
        words=("interval", "held-out", "mae", "training-domain", "at-random"),
        notes=(
            "Go through the three examples below the picture: tastes that training never had, ratings that are too "
            "good, and a table of another kind.",
            "The paper assumes that cells are missing at random. Ask where in life that is true.",
            "End with the ten cells of step 1: who comes closest, the room, the model or the mean?",
        ),
    ),
)
LAST = len(STEPS)
TOTAL = sum(step.minutes for step in STEPS)
