"""What a browser does with addresses, for AppTest: it opens pages by links, changes controls,
writes the address."""

from opened import APP, healthy
from streamlit.proto.WidgetStates_pb2 import WidgetState, WidgetStates
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import Button, DownloadButton, FileUploader, Widget
from streamlit.util import calc_hash

# they do something, and hold nothing that an address could say
ACTIONS = (Button, DownloadButton, FileUploader)


def arrived(page, query):
    """A visitor who comes by a link to a page, by its name in addresses."""
    at = AppTest.from_file(APP, default_timeout=180)
    at.query_params.update(query)
    at._page_hash = calc_hash(page)
    return healthy(at.run())


def controls(at):
    """Every widget of the page that holds a value, by its key, or by its label where it has
    none."""
    return {
        node.key or getattr(node, "label", node.type): node
        for node in at._tree
        if isinstance(node, Widget) and not isinstance(node, ACTIONS)
    }


def sent(control):
    """What a browser sends of a control: its value, without its id."""
    return _plain(control._widget_state, control._widget_state.WhichOneof("value"))


def _plain(state, kind):
    value = None if kind is None else getattr(state, kind)
    return value if kind is None else list(value.data) if kind.endswith("_array_value") else value


def address(at):
    """The address that a browser shows: what the server has written, and the values of the bound
    widgets."""
    query = dict(at.query_params)
    for control in controls(at).values():
        if name := getattr(control.proto, "query_param_key", ""):
            query[name] = _texts(control._widget_state)
    return query


def _texts(state):
    value = _plain(state, state.WhichOneof("value"))
    values = value if isinstance(value, list) else [value]
    return [_text(part) for part in values] or ""


def _text(value):
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:.15g}" if isinstance(value, float) else str(value)


def changed(control, wanted=None):
    """The state of a control after a visitor has chosen ``wanted``, as it is shown, or anything
    else than it shows."""
    state = WidgetState()
    state.CopyFrom(control._widget_state)
    kind = state.WhichOneof("value")
    if kind is None:  # nothing is chosen yet
        one = control.type in ("radio", "selectbox")
        kind = "string_value" if one else "string_array_value"
    options = getattr(control, "options", None)
    now = _plain(state, kind)
    if options:
        others = [option for option in options if option not in now and option != now]
        wanted = wanted or others[-1]
        if kind == "string_array_value":
            state.string_array_value.data[:] = [wanted]
        elif kind == "int_value":
            state.int_value = options.index(wanted)
        else:
            state.string_value = wanted
    elif kind == "double_array_value":
        state.double_array_value.data[:] = [control.min if now[0] != control.min else control.max]
    elif kind == "double_value":
        state.double_value = now + (1 if control.max is None or now + 1 <= control.max else -1)
    elif kind == "bool_value":
        state.bool_value = not now
    else:
        state.string_value = wanted or f"{now}1"
    return state


def after(at, states):
    """The page after a visitor has changed some controls at once; ``states``: by key."""
    every = WidgetStates()
    for key, control in controls(at).items():
        every.widgets.append(states.get(key) or control._widget_state)
    return healthy(at._run(every))
