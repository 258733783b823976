"""Accessibility as axe-core sees it: WCAG 2.2 AA and best practice, on the page as it stands."""

from typing import NamedTuple

from axe_playwright_python.sync_playwright import Axe
from served import in_theme

from benchmarks.screens import wait_until_still

TAGS = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice")
OF_COLOURS = ("color-contrast", "link-in-text-block")  # rules that another theme can break
_RUN = """async ([tags, only, known, { without = [], part = null }]) => {
  const within = (element, selector) => {
    for (let node = element; node; node = node.getRootNode().host) if (node.closest(selector)) return true;
    return false;
  };
  const { violations } = await axe.run(part ?? document, {
    runOnly: only ? { type: "rule", values: only } : { type: "tag", values: tags },
    rules: only ? {} : {
      "target-size": { enabled: true },
      ...Object.fromEntries(without.map((rule) => [rule, { enabled: false }])),
    },
    resultTypes: ["violations"], elementRef: true, iframes: false,
  });
  return violations.flatMap(({ id, nodes }) => nodes.map(({ element, target, html, any, all, none }) => ({
    known: known.findIndex(([rule, selector]) => rule === id && within(element, selector)),
    said: `${id}: ${target.flat().join(" ")}\\n    ${html.slice(0, 200)}\\n    ` +
      [...any, ...all, ...none].map(({ message }) => message).join("; "),
  })));
}"""

_MAIN = "[data-testid=stMain]"
_AT_REST = """() => Promise.allSettled(document.getAnimations()
  .filter((one) => one.effect.getComputedTiming().endTime < Infinity).map((one) => one.finished))
"""  # colours fade from one state to the next


class Foreign(NamedTuple):
    """A violation that is Streamlit's own, on a page (its name in ``benchmarks.screens``)."""

    rule: str
    selector: str
    screen: str


STREAMLITS_OWN = (
    # the place to drop a file has a name although it is not a control; the button inside is one
    Foreign("presentation-role-conflict", "[data-testid=stFileUploaderDropzone]", "your-table"),
    # st.dataframe's grid is a canvas; in the table behind it the column of row numbers has no name
    Foreign("empty-table-header", "[data-testid=stDataFrame] canvas table", "your-table"),
)


class Examination:
    """The visit of one page: what axe-core finds in each of its states, apart from what is
    Streamlit's own."""

    def __init__(self, page, screen: str):
        self.foreign = [entry for entry in STREAMLITS_OWN if entry.screen == screen]
        self.seen, self.found = set(), []
        self.turn_to(page)

    def turn_to(self, page) -> None:
        """Looks at this page from now on."""
        self.page = page
        if not page.evaluate("'axe' in window"):
            page.evaluate(Axe().axe_script)

    def look(self, state: str, only=None, **limits) -> None:
        """Adds what is found in a state; ``only`` names the rules, otherwise all of them are asked.

        ``limits``: ``without``, rules that are not asked, and ``part``, selector of what is looked
        at.
        """
        known = [(entry.rule, entry.selector) for entry in self.foreign]
        for violation in self.page.evaluate(_RUN, [TAGS, only, known, limits]):
            if violation["known"] < 0:
                self.found.append(f"{state}, {violation['said']}")
            else:
                self.seen.add(violation["known"])

    def gone(self) -> list[Foreign]:
        """The entries of the list that occurred in no state: they are to be struck off."""
        return [entry for k, entry in enumerate(self.foreign) if k not in self.seen]


def accessible(page, also="", moving=False) -> None:
    """Asserts that axe-core finds nothing in the main part of a page; its colours are checked in
    theme ``also``, too.

    A page that is ``moving`` all the time is not waited for, and its colours, which fade, are not
    checked.
    """
    examination = Examination(page, "")
    if not moving:
        _rest(page)
    examination.look("as it stands", part=_MAIN, without=OF_COLOURS if moving else ())
    if also:
        in_theme(page, also)
        _rest(page)
        examination.look(also, OF_COLOURS, part=_MAIN)
    assert not examination.found, "\n".join(examination.found)


def _rest(page):
    wait_until_still(page)
    page.evaluate(_AT_REST)
