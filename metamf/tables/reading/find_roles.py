"""The roles of columns and rows, found by what their cells look like and by what the caller has said."""

from __future__ import annotations

import numpy as np

from metamf.tables.escaping import label_in
from metamf.tables.limits import TableError
from metamf.tables.options import ReadOptions
from metamf.tables.reading.form import position
from metamf.tables.reading.identifiers import SMALLEST_IDENTIFIER, identify
from metamf.tables.reading.layout import TableLayout
from metamf.tables.reading.looks import ColumnLook, Look, looks_of
from metamf.tables.reading.markers import suspected_markers
from metamf.tables.reading.numerals import NUMBER, Meanings, NumberFormat
from metamf.tables.reading.roles import ALONE, NAME, RATING, YOU_SAID_SO, Doubt, LineRole, Roles
from metamf.tables.reading.stacked import between_tables
from metamf.tables.reading.summaries import MOST_SUMMED, summing_columns, summing_rows
from metamf.tables.reading.words import Style, ordered_scale, strangers_of
from metamf.wording import counted, first_few, shown

_ROWS_LOOKED_AT = 400  # by which columns are compared
_CELLS_COMPARED = 200_000  # of all columns
_CELLS_LOOKED_AT = 2_000_000  # beyond them no row of averages is looked for
_FEWEST_ALIKE = 3  # columns that make the others look odd
_FEWEST_COMPARED = 6  # rows
_SHARE_ALIKE = 0.6  # of the columns; with fewer, columns have units of their own
_TAIL = 0.05  # share of a usual column below which, or above which, all of a column that is apart lies
_SHARE_WHOLE = 0.75  # of the columns; with fewer of whole numbers, fractions are nothing odd
_WRITTEN = 0.9  # share of the cells of a column of names
_FEWEST_COUNTED = 6  # rows that are numbered one after the other


def find_roles(layout: TableLayout, texts: list[str], m: Meanings, form: NumberFormat, options: ReadOptions) -> Roles:
    """The roles in a wide table.

    Parameters
    ----------
    layout : header and body
    texts : the different texts of the table
    m : meanings of the texts
    form : decimal and thousands sign
    options : statements of the caller

    Raises
    ------
    TableError
        if the options name a column that there is not, or one twice.
    """
    body = layout.body
    kinds = m.kinds[body]
    said = _stated_roles(layout, options)
    looks = looks_of(body, kinds, texts, m, form, options.words)
    _refuse_strangers(layout, looks, said)
    _refuse_orders(looks, options)
    names = _name_columns(layout, looks, said, options)
    roles = [_by_look(look, said.get(j), j in names) for j, look in enumerate(looks)]
    if layout.row_labels and 0 not in said and 0 not in names and looks[0] == ColumnLook(Look.NUMBERS):
        roles[0] = LineRole(ALONE, "it numbers the rows")
    if not any(role.role == RATING for role in roles):  # nothing to fill in: it is said which text is not a number
        if doubts := _unordered(layout, looks, said, roles):
            return Roles(tuple(roles), doubts=tuple(doubts))
        first = len(names) and layout.row_labels
        return Roles(tuple(LineRole(NAME if j < first else RATING) for j in range(body.shape[1])))
    rated = [j for j, role in enumerate(roles) if role.role == RATING]
    X = _values(body[_sample(len(body), len(rated))][:, rated], [roles[j] for j in rated], texts, m)
    for j, role in _numbers_left_alone(layout, texts, m, X, rated, said, roles).items():
        roles[j] = role
    keep = [at for at, j in enumerate(rated) if roles[j].role == RATING]
    doubts, alike = _doubts(layout, X[:, keep], [rated[at] for at in keep], said, looks, roles)
    rows = _rows(layout, texts, m, roles, options)
    return Roles(tuple(roles), tuple(rows.items()), tuple(doubts), alike)


def _stated_roles(layout: TableLayout, options: ReadOptions) -> dict[int, str]:
    """column -> role, as the options say."""
    C = layout.body.shape[1]
    said: dict[int, str] = {}
    for role, columns in ((NAME, options.names), (RATING, options.ratings), (ALONE, options.leave_alone)):
        for column in columns:
            j = position(column, layout.names, C)
            if said.get(j, role) != role:
                name = shown(layout.column_name(j))
                raise TableError(f"the column {name} cannot be two things: {said[j]} and {role}")
            said[j] = role
    return said


def _name_columns(
    layout: TableLayout, looks: list[ColumnLook], said: dict[int, str], options: ReadOptions
) -> tuple[int, ...]:
    """The columns that hold the names of the rows: those that were named; or the first one, if that holds names; or the
    first column of names, where the first column is a date, an address, a number or a group."""
    if named := tuple(j for j, role in said.items() if role == NAME):
        return named
    if options.row_labels is False:
        return ()
    first = layout.row_labels and said.get(0, NAME) == NAME
    if first and (looks[0].look is Look.NAMES or options.row_labels is True):
        return (0,)
    answers = looks[0].look is Look.SCALE and not any(look.look is Look.NUMBERS for look in looks[1:])
    answers |= looks[0].look is Look.WORDS and any(set(look.texts) & set(looks[0].texts) for look in looks[1:])
    first = first and (options.row_labels is True or not answers)
    rated = (j for j, look in enumerate(looks) if j and look.look in (Look.NUMBERS, Look.SCALE))
    before = next(rated, len(looks))
    found = [j for j, look in enumerate(looks) if look.look is Look.NAMES and look.written > _WRITTEN and j not in said]
    found = [j for j in found if 0 < j < before] or ([] if first else found)
    return tuple(found[:1]) or ((0,) if first else ())


def _by_look(look: ColumnLook, said: str | None, names: bool) -> LineRole:
    """The role of a column by what its cells look like."""
    if said == RATING:
        return LineRole(RATING, YOU_SAID_SO, look.style)
    if said == ALONE:
        return LineRole(ALONE, YOU_SAID_SO)
    if names:
        return LineRole(NAME, YOU_SAID_SO if said else "")
    if look.look in (Look.NUMBERS, Look.SCALE):
        return LineRole(RATING, look.style.name if look.style else "", look.style)
    return LineRole(RATING) if look.look is Look.EMPTY else LineRole(ALONE, look.look.value)


def _numbers_left_alone(
    layout: TableLayout,
    texts: list[str],
    m: Meanings,
    X: np.ndarray,
    rated: list[int],
    said: dict[int, str],
    roles: list[LineRole],
) -> dict[int, LineRole]:
    """Columns of numbers that are not ratings: identifiers, numbers of the rows, sums and averages of others; and a few
    columns of words among many of numbers."""
    body, found = layout.body, {}
    open_to_guess = [j for j in rated if j not in said]
    if any(role.role == NAME for role in roles) and len(rated) > 2 and len(body) >= _FEWEST_ALIKE:
        padded = m.padded[body].any(axis=0)
        for j in open_to_guess:
            values = X[:, rated.index(j)]
            if roles[j].style is not None:
                continue
            if padded[j] or np.nanmin(values, initial=np.inf) >= SMALLEST_IDENTIFIER:
                if identify(body[:, j], body[:, [other for other in rated if other != j]], texts, m):
                    found[j] = LineRole(ALONE, "identifiers")
            elif (np.diff(values[:_FEWEST_COUNTED]) > 0).all() and _counts(m.values[body[:, j]]):
                found[j] = LineRole(ALONE, "numbers that count the rows")
    words = [j for j in open_to_guess if (style := roles[j].style) is not None and not style.template]
    if 0 < len(words) < min(_FEWEST_ALIKE, len(rated) - len(words)):
        found |= {j: LineRole(ALONE, "words, and most columns hold numbers") for j in words}
    left = [at for at, j in enumerate(rated) if j not in found]
    if len(left) <= MOST_SUMMED:
        for at, (kind, n) in summing_columns(X[:, left]).items():
            j = rated[left[at]]
            if j not in said:
                found[j] = LineRole(ALONE, f"{kind} of {counted(n, 'other column')}", sure=False)
    return found


def _counts(values: np.ndarray) -> bool:
    """Whether the values are whole numbers, one after the other."""
    return len(values) >= _FEWEST_COUNTED and bool((np.diff(values) == 1).all()) and not (values % 1).any()


def _doubts(
    layout: TableLayout,
    X: np.ndarray,
    rated: list[int],
    said: dict[int, str],
    looks: list[ColumnLook],
    roles: list[LineRole],
) -> tuple[list[Doubt], bool]:
    """Questions that are to be asked, and whether the columns of ratings have one range."""
    odd, (low, high), alike = _odd_ones_out(X)
    doubts = []
    asked = [at for at in np.flatnonzero(odd) if rated[at] not in said]
    for at in asked:
        name = layout.column_name(rated[at])
        values = X[~np.isnan(X[:, at]), at]
        apart = values.max() < low or values.min() > high or (values % 1 == 0).mean() > 0.5
        theirs = f"{low:g} to {high:g}" if apart else "whole numbers"
        its = f"{values.min():g} to {values.max():g}"
        sentence = f"the column {shown(name)} holds {its}, where most of the others hold {theirs}"
        doubts.append(Doubt((rated[at],), (name,), sentence))
    if len(rated) <= 1 and not doubts:
        doubts = _unordered(layout, looks, said, roles)
    return doubts, alike and not any(said.get(rated[at]) == RATING for at in np.flatnonzero(odd))


def _odd_ones_out(X: np.ndarray) -> tuple[np.ndarray, tuple[float, float], bool]:
    """(C,) which columns are unlike the others, the range of these, and whether there is a range that most columns
    share; in a table of three columns or five rows nothing is odd."""
    none, nothing = np.zeros(X.shape[1], dtype=bool), (np.nan, np.nan)
    known = ~np.isnan(X)
    if known.any(axis=0).sum() <= _FEWEST_ALIKE or len(X) < _FEWEST_COMPARED:
        return none, nothing, True
    marks = [value for value, _ in suspected_markers(X[known])]
    X = np.where(np.isin(X, marks), np.nan, X)
    full = np.flatnonzero((~np.isnan(X)).any(axis=0))
    if len(full) <= _FEWEST_ALIKE:
        return none, nothing, True
    lows, middles, highs = (of(X[:, full], axis=0) for of in (np.nanmin, np.nanmedian, np.nanmax))
    low, high = float(np.median(lows)), float(np.median(highs))
    width = high - low
    fits = (low - width <= middles) & (middles <= high + width) & ~_apart(X[:, full]) & ~_finer(X[:, full])
    near = fits & (lows >= low - width) & (highs <= high + width)
    if width <= 0:
        return none, nothing, True
    if near.sum() < _FEWEST_ALIKE or near.mean() < _SHARE_ALIKE:
        return none, nothing, False
    odd = none.copy()
    odd[full[~fits]] = True
    return odd, (float(lows[near].min()), float(highs[near].max())), True


def _apart(X: np.ndarray) -> np.ndarray:
    """(C,) which columns lie wholly below or above nearly all of a usual column, such as ages from 18 to 24 among marks
    from 30 to 98."""
    written = (~np.isnan(X)).sum(axis=0) >= _FEWEST_COMPARED
    bottom, top = np.median(np.nanquantile(X, [_TAIL, 1 - _TAIL], axis=0), axis=1)
    return written & ((np.nanmax(X, axis=0) < bottom) | (np.nanmin(X, axis=0) > top))


def _finer(X: np.ndarray) -> np.ndarray:
    """(C,) which columns hold fractions, mostly, where nearly all others hold whole numbers alone."""
    known = ~np.isnan(X)
    share = (known & (X % 1 != 0)).sum(axis=0) / known.sum(axis=0)
    if (share == 0).mean() < _SHARE_WHOLE:
        return np.zeros(X.shape[1], dtype=bool)
    return (share > 0.5) & (known.sum(axis=0) >= _FEWEST_COMPARED)


def _refuse_strangers(layout: TableLayout, looks: list[ColumnLook], said: dict[int, str]) -> None:
    """Raises TableError where columns hold the words of a scale and a few others, such as "Not applicable", which may
    mean that a rating is missing; the error offers these (``TableError.markers``)."""
    nearly = {
        j: strangers
        for j, look in enumerate(looks)
        if j not in said and look.look is Look.WORDS and (strangers := strangers_of(look.texts))
    }
    answers = sum(look.look is Look.SCALE for look in looks)
    if not nearly or len(nearly) + answers < 2:
        return
    words = sorted({word for strangers in nearly.values() for word in strangers})
    where = first_few([shown(layout.column_name(j)) for j in nearly], 4)
    many, they = ("columns", "hold") if len(nearly) > 1 else ("column", "holds")
    what = first_few([shown(word) for word in words], 4)
    error = TableError(
        f"the {many} {where} {they} the words of a scale and {what}: say of each such word that it is a missing "
        "marker, or in which order all words stand"
    )
    error.markers = tuple(words)
    raise error


def _refuse_orders(looks: list[ColumnLook], options: ReadOptions) -> None:
    """Raises TableError where an order of words was given that names all words of no column."""
    for order in options.words:
        if not any(ordered_scale(look.texts, order) for look in looks if look.texts):
            raise TableError(f"the order {shown(' < '.join(order))} names all words of no column: add those that lack")


def _unordered(
    layout: TableLayout, looks: list[ColumnLook], said: dict[int, str], roles: list[LineRole]
) -> list[Doubt]:
    """The question for the order of words that two columns or more share."""
    groups: dict[frozenset[str], list[int]] = {}
    for j, look in enumerate(looks):
        if look.look is Look.WORDS and j not in said and roles[j].role == ALONE and len(look.texts) > 1:
            words = frozenset(look.texts)
            kin = next((group for group in groups if group & words), words)
            groups[kin | words] = [*groups.pop(kin, []), j]
    words, columns = max(groups.items(), key=lambda item: len(item[1]), default=(frozenset(), []))
    if len(columns) < 2:
        return []
    names = tuple(layout.column_name(j) for j in columns)
    many = first_few([shown(name) for name in names])
    sentence = f"the columns {many} hold words ({first_few([shown(word) for word in sorted(words)], 6)})"
    return [Doubt(tuple(columns), names, sentence, tuple(sorted(words)))]


def _rows(
    layout: TableLayout, texts: list[str], m: Meanings, roles: list[LineRole], options: ReadOptions
) -> dict[int, LineRole]:
    """The rows that are left alone: those that the options name, and those that sum up the others."""
    body, lines = layout.body, layout.lines
    label = next((j for j, role in enumerate(roles) if role.role == NAME), 0)
    found: dict[int, LineRole] = {}
    rated = [j for j, role in enumerate(roles) if role.role == RATING]
    kept = {i for row in options.keep_rows for i in _row_positions(row, body[:, label], lines, texts)}
    if body.size <= _CELLS_LOOKED_AT:
        found = {i: role for i, role in between_tables(layout, texts, m, rated, roles).items() if i not in kept}
    if body.size <= _CELLS_LOOKED_AT and len(rated) >= 3:
        others = np.setdiff1d(np.arange(len(body)), list(found))
        ends = [*others[:3], *others[-3:]]
        if (m.kinds[body[ends][:, rated]] == NUMBER).any():
            X = _values(body[others][:, rated], [roles[j] for j in rated], texts, m)
            for at, kind in summing_rows(X).items():
                if (i := int(others[at])) not in kept:
                    found[i] = LineRole(ALONE, f"{kind} of the other rows", sure=False)
    for row in options.leave_rows:
        for i in _row_positions(row, body[:, label], lines, texts):
            found[i] = LineRole(ALONE, YOU_SAID_SO)
    if len(found) == len(body):
        raise TableError("no row is left: say of fewer rows that they are to be left alone")
    return dict(sorted(found.items()))


def _row_positions(row: str | int, labels: np.ndarray, lines: np.ndarray, texts: list[str]) -> list[int]:
    """Positions of the rows on a line of the file, counted from 1, or of a name."""
    if isinstance(row, int):
        found = np.flatnonzero(lines == row)
    else:
        found = np.flatnonzero([label_in(texts[code]) == row.strip() for code in labels])
    if not len(found):
        where = f"on line {row:,}" if isinstance(row, int) else f"called {shown(row)}"
        raise TableError(f"the table does not have a row {where}")
    return [int(i) for i in found]


def _values(cells: np.ndarray, roles: list[LineRole], texts: list[str], m: Meanings) -> np.ndarray:
    """(L, C) the numbers of cells in columns of ratings, those behind words and decorations, too; NaN elsewhere."""
    X = m.values[cells]
    for at, role in enumerate(roles):
        if role.style is not None:
            X[:, at] = styled_values(cells[:, at], role.style, texts, m)
    return X


def styled_values(column: np.ndarray, style: Style, texts: list[str], m: Meanings) -> np.ndarray:
    """(L,) the numbers of the cells of one column that is written in a style."""
    behind = dict(style.values)
    codes, inverse = np.unique(column, return_inverse=True)
    values = [behind.get(texts[code].strip(), m.values[code]) for code in codes]
    return np.array(values, dtype=np.float64)[inverse]


def _sample(n_rows: int, n_cols: int) -> np.ndarray:
    """The rows by which columns are compared: all of them, or some all over the table."""
    most = max(_FEWEST_COUNTED, min(_ROWS_LOOKED_AT, _CELLS_COMPARED // max(n_cols, 1)))
    return np.arange(n_rows) if n_rows <= most else np.linspace(0, n_rows - 1, most).astype(int)
