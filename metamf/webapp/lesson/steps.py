"""The seven steps of the lesson as data: page, speaker's notes and handout are made of them and cannot disagree.

Numbers of a matrix are not written here: ``metamf.webapp.lesson.facts`` computes them. The paper's sections:
1 the problem (3.1), 2 matrix factorization alone (Section 1), 3 to 5 the model (3.2), 6 meta-training (3.3), 7 results.
"""

from __future__ import annotations

from metamf.webapp.lesson.form import COMPARE, FAR, FILL_IN, INSIDE, TRAIN, WATCH, Choice, Number, Step, Try

STEPS = (
    Step(
        key="empty",
        title="The empty matrix",
        minutes=6,
        sentence="Each row is a person, each column a film, each number a rating: most cells are empty, and we want to "
        "know what would stand in them.",
        more="The people and the films are made up, so the true rating of every cell is known and can be revealed. "
        "Only the coloured cells are given; all others are hidden.",
        question=Number("What would this person give to this film?", 1, 5, unit="stars"),
        trial=Try(
            "Give the model fewer ratings",
            FILL_IN,
            "Move the share of the ratings that the model is shown, in the sidebar: 20 percent at first, then more. "
            "How does the error on the hidden cells follow?",
            {"keep": 20},
        ),
        words=("rating-matrix", "given", "hidden", "rmse"),
        notes=(
            "Let the room look at the picture for half a minute before you speak: what do we know, what do we not "
            "know?",
            "Read one row and one column aloud. Everything that can be known about a cell is in its row, its column "
            "and the rest of the matrix.",
            "Ask for the marked cell by a show of hands, enter what most say, then reveal. Ask for the reason: most "
            "look at the person's other ratings and at the film's other ratings. That is the mean of a row and of a "
            "column; the lesson is about what is beyond it.",
            "Real matrices are far emptier: the share of the cells that the paper's model was given in training "
            "stands below the picture.",
        ),
    ),
    Step(
        key="alone",
        title="Matrix factorization alone",
        minutes=8,
        sentence="Matrix factorization gives every person and every film a few numbers, called factors, and estimates "
        "a rating by multiplying them in pairs and adding up.",
        more="The factors are fitted to the given ratings. When there are few of them, many different factors match "
        "them, and nothing in the matrix says which of these are right about the empty cells.",
        question=Choice(
            "MF has matched the given ratings very closely. How large is its error on the hidden cells, beside the "
            "error of always guessing the mean?",
            ("clearly smaller", "about the same", "clearly larger"),
        ),
        trial=Try(
            "Compare MF with other methods",
            COMPARE,
            "Find MF and Mean in the table. Then show the model all of the ratings that there are (100 percent), and "
            "look again: does MF need more ratings than the others?",
        ),
        words=("factorization", "factor", "rank", "mf", "overfitting", "regularization", "baseline"),
        notes=(
            "Write U times V transposed on the board and one cell as an inner product of two short rows of numbers.",
            "Count together: how many numbers are fitted, and how many ratings are given? The picture says both.",
            "Before the reveal only the error on the given cells is drawn. Ask where the other curve will go, and let "
            "somebody draw it in the air.",
            "After the reveal: a strong penalty on large factors makes every estimate the mean. A well-chosen one can "
            "gain something; but who chooses it without seeing the hidden ratings?",
        ),
    ),
    Step(
        key="prior",
        title="What a prior is",
        minutes=7,
        sentence="A prior says what the factors probably are before they are fitted, and how firmly we believe it.",
        more="Fitting then looks for factors that agree with the given ratings and with the prior together. A person "
        "with few ratings stays near the prior; a person with many ratings can leave it.",
        question=Choice(
            "The same ten steps on the same ratings, from different prior means. Which one has the smallest error on "
            "the hidden cells at the end?",
            ("all factors zero", "random numbers", "the means of the columns", "the learned prior"),
        ),
        trial=Try(
            "Race the starts yourself",
            INSIDE,
            "Move T, η and λ. Can you make another start win? Can you make the steps break, and what is said then?",
            widgets={"experiment": "A race of starts"},
        ),
        words=("prior", "prior-mean", "lambda", "standardised"),
        notes=(
            "An everyday prior: a new restaurant with one review of five stars. Nobody believes that it is the best in "
            "town; everybody moves the five towards what restaurants are like.",
            "The penalty of ordinary MF is a prior, too: it expects all factors to be zero, which means that every "
            "rating is average. That is all that one can say without having seen other matrices.",
            "Steps that start exactly at zero never leave it: each factor's step is multiplied by the other side's "
            "factors, which are zero.",
            "After the reveal, point at step 0: the learned prior alone need not be better than the mean. What "
            "matters is where the steps get from there.",
        ),
    ),
    Step(
        key="network",
        title="Where this prior comes from",
        minutes=7,
        sentence="A neural network reads the given ratings and proposes the factors of every person and every film to "
        "start from.",
        more="In its layers each given cell is combined with the averages of its column, of its row and of the whole "
        "matrix. The averages over a row give the prior mean of a person, those over a column that of a film. An "
        "average works for any number of ratings, in any order: so the same network reads a matrix of any size.",
        question=Choice(
            "We shuffle the rows and the columns, and ask the network again. What happens to the prior mean of a "
            "person?",
            ("it is the same, and moves with the person", "it changes a little", "the network has to be trained again"),
        ),
        trial=Try(
            "Shuffle it yourself",
            INSIDE,
            "Shuffle the rows, then the columns, then take only half of the rows. When does the answer have to stay "
            "the same, and when may it change? And what does MF do?",
            widgets={"experiment": "No shared rows or columns"},
        ),
        words=("exchangeable", "checkpoint"),
        notes=(
            "The network does not know names: it sees numbers and in which row and column they stand, nothing else.",
            "In ordinary statistics the prior is written down before one sees the data. Here the network looks at the "
            "given ratings first; the knowledge that it uses comes from other matrices.",
            "Let the room argue about the shuffle before you reveal. Whoever says that it changes should say by what.",
        ),
    ),
    Step(
        key="steps",
        title="The MAP steps",
        minutes=9,
        sentence="Each step moves all factors a little: the given ratings pull them to where the estimates fit better, "
        "and the prior pulls them back.",
        more="Eqs. (6) and (7) of the paper are one such step. Everything is written in closed form, so that the error "
        "after the last step can be traced back to the network: this is what makes training possible.",
        question=Choice(
            "The model learned with ten steps, and now takes forty. The error on the given cells goes on falling. "
            "What does the error on the hidden cells do?",
            ("it goes on falling, too", "it stays where it was after ten", "it falls at first, and then rises"),
        ),
        trial=Try(
            "Take forty steps",
            WATCH,
            "Go through the forty steps, and look at both error curves. Where is the one of the hidden cells lowest? "
            "What happens to the one of the given cells meanwhile?",
            {"steps": 40},
            {"t": "0"},
        ),
        words=("map", "map-step", "step-size", "residual"),
        notes=(
            "Go through the ten steps slowly once, looking only at the product; then once more, looking at the "
            "factors.",
            "Click one given cell: what do its ratings pull, what does the prior pull? Follow it over the steps.",
            "Two springs: one for each given rating, one to the prior. Lambda is the strength of the second.",
            "After the reveal: compare with the curve of MF in the second step. The given ratings are matched better "
            "and better in both; the difference is the prior, which pulls back at every step.",
        ),
    ),
    Step(
        key="training",
        title="Training across matrices that share nothing",
        minutes=7,
        sentence="The network practises on many matrices of other people and other things: it hides some of their "
        "ratings, fills them in, and changes itself so that the next ones come out better.",
        more="An exercise is called an episode. Its given part is the support, its hidden part the query. Only the "
        "network's weights and the strength of the prior are kept; factors are made anew for every matrix. So no "
        "person and no film has to appear twice.",
        question=Choice(
            "A model has seen ratings of films only. On ratings of jokes, by other people, how much of the gain over "
            "the mean does it keep, compared with a model that was trained on jokes?",
            ("almost nothing", "about half", "nearly all"),
        ),
        trial=Try(
            "Train one yourself",
            TRAIN,
            "Start a training from random weights, and watch the learning curve. When does it become better than the "
            "mean? What happens if the learning rate is much larger?",
        ),
        words=("meta-learning", "meta-training", "episode", "support", "query", "seed"),
        notes=(
            "Say it as a school: many small exercises, each with its own names, and the mark is given on what was "
            "hidden.",
            "What is learned are habits: how much a person's average is worth, how much a film's, how far to trust "
            "three ratings. Habits do not need the same people.",
            "The reveal shows errors on many real blocks, measured again for this app. One small matrix decides "
            "nothing; look at one all the same: the matrix Jokes on the page Compare.",
        ),
    ),
    Step(
        key="trust",
        title="When to trust it",
        minutes=6,
        sentence="Trust the estimates as far as ratings that were held back bear them out: beside a simple method, "
        "and by how many of them lie inside their interval.",
        more="A model knows what its training was like. A table whose tastes, sizes or habits are different can make "
        "it worse than the mean, or surer than it should be, and it does not notice by itself.",
        question=Number(
            "Here people rate mostly what they like. The model gives a 90 % interval for each hidden rating. What "
            "percentage of the hidden ratings lies inside?",
            0,
            100,
            unit="%",
        ),
        trial=Try(
            "Where it hurts",
            FILL_IN,
            "Half of these people love what the other half cannot stand. Read the first sentences of the page: is the "
            "model better than the mean? Then look at the errors: which tastes did it miss?",
            {"data": FAR},
        ),
        words=("interval", "held-out", "mae", "training-domain", "at-random"),
        notes=(
            "Go through the three examples below the picture: a taste that training never had, ratings that flatter, a "
            "table of another kind.",
            "The paper assumes that cells are missing at random. Ask where in life that is true.",
            "End with the ten cells of the first step: who was closest, the room, the model or the mean?",
        ),
    ),
)
LAST = len(STEPS)
TOTAL = sum(step.minutes for step in STEPS)
