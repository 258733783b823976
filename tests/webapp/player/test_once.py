"""A component's script travels in a message that never changes, and is waited for; Node plays the browser."""

import pytest
from javascript import node
from opened import NAME, healthy, no_data_sets, opened, players  # noqa: F401  a fixture

from metamf.webapp.player import once

SCRIPT = """\
export default function mountIt({ data, parentElement }) {
  parentElement.log.push(data);
  return () => parentElement.log.push(`left ${data}`);
}
"""
PAGE = """
const parent = () => ({
  log: [],
  querySelector: () => null,
  append(style) { this.log.push(style.textContent); },
  getRootNode() { return { host: { setAttribute: (name) => this.log.push(name) } }; },
});
globalThis.document = { createElement: () => ({}) };
const [early, gone] = [parent(), parent()];
const waiting = (await import("./waiting.mjs")).default;
waiting({ data: ["older"], parentElement: early });
const leaveEarly = waiting({ data: ["newer"], parentElement: early });
waiting({ data: ["nobody"], parentElement: gone })();
await import("./bringing.mjs");
const late = parent();
waiting({ data: ["late"], parentElement: late })();
leaveEarly();
console.log(JSON.stringify([early.log, gone.log, late.log]));
"""


def test_the_script_is_waited_for_and_gets_the_latest_data_once(tmp_path):
    bringing, waiting = once.messages("it", SCRIPT, "p {}")
    for name, text in (("bringing", bringing), ("waiting", waiting), ("page", PAGE)):
        (tmp_path / f"{name}.mjs").write_text(text, "utf-8")
    said = node(str(tmp_path / "page.mjs"))
    assert said == '[["p {}","newer","data-drawn","left newer"],[],["p {}","late","data-drawn","left late"]]\n'


def test_another_version_of_the_script_is_not_taken_for_this_one():
    assert once.messages("it", SCRIPT, "p {}")[1] != once.messages("it", SCRIPT, "p { color: red; }")[1]
    with pytest.raises(ValueError, match="with a name"):
        once.messages("it", "export default () => {};", "")


def test_a_new_run_on_a_page_sends_its_data_and_not_the_script_again():
    at = healthy(opened())

    def sent():
        protos = [mount.proto for mount in at.get("bidi_component")]
        [player] = [proto for proto in protos if proto.component_name == NAME]
        [script] = [proto for proto in protos if proto.component_name == f"{NAME}_script"]
        return player, script

    player, script = sent()
    before, brought = players(at), script.SerializeToString(deterministic=True)
    assert ".mfp-bar" in script.js_content and len(brought) > 100_000
    healthy(at.number_input(key="seed").set_value(2).run())
    after, script = sent()
    assert players(at) != before and script.SerializeToString(deterministic=True) == brought  # Streamlit sends its hash
    assert len(after.js_content) < 3000 and not after.css_content
