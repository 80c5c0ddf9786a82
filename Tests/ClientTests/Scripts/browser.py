"""EventSource in a headless browser, over kills and restarts of the server.

Arguments: the browser, the program `hearth`, an empty folder.
"""
import json
import pathlib
import sys
import urllib.parse

import requests

from browsing import Told, open_browser, serve_page
from checks import equal, run, wait
from serving import Server

browser, program, folder = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
ROUNDS = 3


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
    window = open_browser(browser, folder, f"{serve_page(told)}?{query}")
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
