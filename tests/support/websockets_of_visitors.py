"""Visitors of a real server without a browser: they speak Streamlit's own protocol."""

import re
import sys
import time
import urllib.error
import urllib.request
from contextlib import contextmanager

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

PATIENCE = 120  # seconds


class Visitor:
    """A visitor of a page: ``session`` is its name at the server."""

    def __init__(self, address, socket, cookie, token):
        self.address = address
        self.socket = socket
        self.session = ""
        self.widgets = {}  # key -> its name at the server
        self._headers = {"Cookie": cookie, "X-Xsrftoken": token}

    def ask(self, page="", widget=None):
        """Asks for a run of a page, after a change of a widget."""
        message = BackMsg()
        message.rerun_script.page_name = page
        if widget is not None:
            message.rerun_script.widget_states.widgets.append(widget)
        self.socket.send(message.SerializeToString())

    def run(self, page="", widget=None, until=""):
        """Seconds that a run of a page takes, until its last message or a widget of that key."""
        began = time.monotonic()
        self.ask(page, widget)
        while True:
            data = self.socket.recv(PATIENCE)
            for name, key in re.findall(rb"(\$\$ID-[0-9a-f]+-([A-Za-z]\w+))", data):
                self.widgets[key.decode()] = name.decode()
            message = ForwardMsg.FromString(data)
            if message.HasField("new_session"):
                self.session = message.new_session.initialize.session_id
            if message.HasField("script_finished") or until in self.widgets:
                return time.monotonic() - began

    def upload(self, page, key, name, content, until):
        """The status of the answer to a file that a widget takes; the page runs until it shows
        another widget."""
        status = self.put(name, content)
        widget = WidgetState(id=self.widgets[key])
        file = widget.file_uploader_state_value.uploaded_file_info.add()
        file.file_id = file.name = file.file_urls.file_id = name
        file.size = len(content)
        self.run(page, widget, until)
        return status

    def press(self, page, key):
        """Presses a button of a page."""
        self.run(page, WidgetState(id=self.widgets.pop(key), trigger_value=True))

    def put(self, name, content):
        """The status of the answer to a file that is sent to the server."""
        about = f'Content-Disposition: form-data; name="{name}"; filename="{name}"'
        body = f"--a-part\r\n{about}\r\n\r\n".encode() + content + b"\r\n--a-part--"
        kind = {"Content-Type": "multipart/form-data; boundary=a-part"}
        where = f"{self.address}/_stcore/upload_file/{self.session}/{name}"
        request = urllib.request.Request(where, body, self._headers | kind, method="PUT")
        try:
            return urllib.request.urlopen(request, timeout=PATIENCE).status
        except urllib.error.HTTPError as error:
            return error.code


@contextmanager
def visiting(address):
    """A visitor who has opened a connection to the server, and not yet asked for a page."""
    health = urllib.request.urlopen(f"{address}/_stcore/health", timeout=PATIENCE)
    cookie = health.headers["Set-Cookie"].partition(";")[0]
    token = cookie.partition("=")[2]
    where = address.replace("http://", "ws://") + "/_stcore/stream"
    options = {"additional_headers": {"Cookie": cookie}, "max_size": None, "proxy": None}
    with connect(where, subprotocols=["streamlit", token], **options) as socket:
        yield Visitor(address, socket, cookie, token)


def flood(address, pause, seconds=5):
    """Asks for runs for some seconds; the code with which the server closes the connection, at the
    latest when it has read them all, or 0."""
    with visiting(address) as visitor:
        end = time.monotonic() + seconds
        try:
            while time.monotonic() < end:
                visitor.ask()
                time.sleep(pause)
            while True:
                visitor.socket.recv(seconds)
        except ConnectionClosed as error:
            return error.rcvd.code
        except TimeoutError:
            return 0


if __name__ == "__main__":
    print(flood(sys.argv[1], float(sys.argv[2])))
