"""EventSource in a headless browser, over kills and restarts of the server.

Arguments: the browser, the program `hearth`, an empty folder. The page beside this script posts what its streams
tell to here.
"""
import http.server
import json
import pathlib
import subprocess
import sys
import threading
import urllib.parse

import requests

from checks import equal, run, wait
from serving import Server

browser, program, folder = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
page = pathlib.Path(__file__).with_name("page.html").read_bytes()
ROUNDS = 3


class Told:
    """What the page has posted, one list for each of its streams."""

    def __init__(self):
        self._lock = threading.Lock()
        self._entries = []

    def add(self, entry):
        with self._lock:
            self._entries.append(entry)

    def events(self, stream):
        with self._lock:
            entries = [entry for entry in self._entries if entry["stream"] == stream]
        return [entry for entry in entries if entry["event"] != "open"]

    def opened(self, stream):
        with self._lock:
            return sum(entry["stream"] == stream and entry["event"] == "open" for entry in self._entries)


class Room:
    """Writes, and keeps which events the streams have to tell of each write."""

    def __init__(self, server):
        self._server = server
        self.children = []
        self.values = []

    def write(self, method, key, value, kind):
        answer = requests.request(
            method, f"{self._server.url}/rooms/lobby/messages/{key}.json", data=json.dumps(value), timeout=60)
        equal(answer.status_code, 200)
        cursor = answer.headers["Hearth-Cursor"]
        self.children.append((kind, key, cursor))
        self.values.append(("put", "/" + key, value, cursor))


def serve_page(told):
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self._answer(page if self.path.startswith("/?") else b"", "text/html; charset=utf-8")

        def do_POST(self):
            told.add(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self._answer(b"", "text/plain")

        def log_message(self, *arguments):
            pass

        def _answer(self, body, kind):
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    pages = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=pages.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{pages.server_port}/"


def open_browser(address):
    options = [
        "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
        "--disable-background-networking", "--disable-component-update", "--disable-sync",
        f"--user-data-dir={folder / 'browser'}",
    ]
    log = open(folder / "browser.log", "wb")
    return subprocess.Popen([browser, *options, address], stdout=log, stderr=log)


def play(server, room, told):
    """Writes, kills, starts and writes again while the page listens."""
    wait(lambda: told.opened("children") == 1 and told.opened("values") == 1)
    for number in range(ROUNDS):
        room.write("PUT", f"a{number}", {"message": "hi"}, "child_added")
        # What was written just now may have reached the page, or not, when the server is gone.
        server.kill()
        server.start()
        room.write("PUT", f"b{number}", {"message": "hello"}, "child_added")
        room.write("PUT", f"a{number}", {"message": "bye"}, "child_changed")
        if number > 0:
            room.write("DELETE", f"b{number - 1}", None, "child_removed")
        wait(lambda: told.opened("children") > number + 1 and told.opened("values") > number + 1)
        room.write("PUT", f"c{number}", {"message": "again"}, "child_added")
    wait(lambda: len(told.events("children")) >= len(room.children))
    wait(lambda: len(told.events("values")) >= len(room.values))
    # A repeated event would come before the events of these.
    room.write("PUT", "last", True, "child_added")
    wait(lambda: told.events("children")[-1]["data"].get("key") == "last")
    wait(lambda: told.events("values")[-1]["data"]["path"] == "/last")


def no_event_is_lost_and_none_comes_twice():
    server = Server(program, str(folder / "data"))
    told = Told()
    server.start()
    room = Room(server)
    room.write("PUT", "first", {"message": "before all"}, "child_added")
    room.values[0] = ("put", "/", {"first": {"message": "before all"}}, room.values[0][3])
    query = urllib.parse.urlencode({"server": server.url})
    window = open_browser(f"{serve_page(told)}?{query}")
    try:
        play(server, room, told)
    finally:
        window.terminate()
        server.kill()
        window.wait(60)
    children = told.events("children")
    equal([(entry["event"], entry["data"].get("key"), entry["id"]) for entry in children], room.children)
    values = told.events("values")
    found = [(entry["event"], entry["data"]["path"], entry["data"]["data"], entry["id"]) for entry in values]
    equal(found, room.values)


run(no_event_is_lost_and_none_comes_twice)
