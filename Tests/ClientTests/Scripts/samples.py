"""What the stories of the samples share: a server of their own, its users, streams, and steps with names."""
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import threading
import traceback
import urllib.parse

import requests

from checks import Events

PROJECT = pathlib.Path(__file__).resolve().parents[3]
PATIENCE_SECONDS = 60
LAST = 'orderBy="$key"&limitToLast=1000'
FIRST = 'orderBy="$key"&limitToFirst=1000'


class Steps:
    """The steps of a story, in order; each prints `passed NAME` or `failed NAME`."""

    def __init__(self):
        self._steps = []

    def __call__(self, name):
        def add(function):
            self._steps.append((name, function))
            return function
        return add

    def play(self):
        failed = 0
        for name, function in self._steps:
            try:
                function()
                print("passed", name, flush=True)
            except BaseException:
                failed += 1
                print("failed", name, flush=True)
                traceback.print_exc(file=sys.stdout)
        sys.stdout.flush()
        return failed


class SampleServer:
    """`hearth serve --public samples/NAME/web --rules rules/RULES/rules.json`, run at the top of the project."""

    def __init__(self, program, folder, name, rules):
        self.data = pathlib.Path(folder) / "data"
        self._command = [
            program, "serve", "--public", f"samples/{name}/web", "--rules", f"rules/{rules}/rules.json",
            # Stories try more names and passwords in a minute than people do.
            "--no-account-limits", "--data", str(self.data), "--log", "warning"]
        self._process = None
        self._talk = []
        self.url = None

    def start(self):
        """Starts it, at the same address as before if there was one, and returns when it listens."""
        address = self.url.removeprefix("http://") if self.url else "127.0.0.1:0"
        self._process = subprocess.Popen(
            [*self._command, "--listen", address], stderr=subprocess.PIPE, text=True, cwd=PROJECT)
        for line in self._process.stderr:
            self._talk.append(line)
            found = re.search(r"http://127\.0\.0\.1:[0-9]+", line)
            if found:
                self.url = found.group()
                break
        else:
            raise AssertionError("the server did not start:\n" + "".join(self._talk))
        # What it says later is read, or it would wait for its reader.
        threading.Thread(target=self._listen, args=(self._process.stderr,), daemon=True).start()

    def _listen(self, pipe):
        for line in pipe:
            self._talk.append(line)

    @property
    def talk(self):
        """All that it has said."""
        return "".join(self._talk)

    def kill(self):
        """Ends it as a power cut would end a process."""
        self._process.send_signal(signal.SIGKILL)
        self._process.wait()

    @property
    def admin(self):
        """The administrator's header."""
        return {"Authorization": "Bearer " + (self.data / "admin-token").read_text().strip()}

    def ask(self, method, path, value=None, auth=None, headers=None, query=""):
        """Asks for data; returns the answer whatever it is."""
        return requests.request(
            method, self.address(path, auth, query), data=None if value is None else json.dumps(value),
            headers=headers, timeout=PATIENCE_SECONDS)

    def address(self, path, auth=None, query=""):
        """The address of a place of data."""
        parameters = [part for part in (query, auth and "auth=" + auth) if part]
        return f"{self.url}{path}.json" + ("?" + "&".join(parameters) if parameters else "")

    def file(self, method, path, auth=None, body=None, kind=None, headers=None):
        """Asks for an uploaded file."""
        return requests.request(
            method, f"{self.url}/.files/{path}" + (f"?auth={auth}" if auth else ""), data=body,
            headers={**({"Content-Type": kind} if kind else {}), **(headers or {})}, timeout=PATIENCE_SECONDS)

    def account(self, call, **body):
        """Makes a call of the accounts' API; returns the answer whatever it is."""
        path = "/v1/token" if call == "token" else f"/v1/accounts:{call}"
        return requests.post(f"{self.url}{path}?key=story", json=body, timeout=PATIENCE_SECONDS)

    def import_snapshot(self, name):
        """Replaces all data by that of a sample, as its administrator would."""
        command = [self._command[0], "import", "/", f"samples/{name}/snapshot.json", "--replace", "--url", self.url,
                   "--admin-from", str(self.data)]
        subprocess.run(command, cwd=PROJECT, check=True, timeout=PATIENCE_SECONDS,
                       stdin=subprocess.DEVNULL, capture_output=True)
        return json.loads((PROJECT / f"samples/{name}/snapshot.json").read_text())

    def stream(self, path, auth=None, query=""):
        """Follows child events of a place."""
        return Stream(self.address(path, auth, query))


class User:
    """Somebody with an account, signed in."""

    def __init__(self, answer):
        facts = answer.json()
        if answer.status_code != 200:
            raise AssertionError(f"not signed in: {facts}")
        self.uid = facts["localId"]
        self.token = facts["idToken"]
        self.refresh_token = facts["refreshToken"]


class Stream:
    """A stream of child events: (event, key, data) each, and at the end ("end", None, None)."""

    def __init__(self, address):
        self.events = Events()
        #: All that has come, as it came.
        self.text = ""
        self.answer = requests.get(
            address, headers={"Accept": "text/event-stream"}, stream=True,
            timeout=(PATIENCE_SECONDS, PATIENCE_SECONDS * 4))
        self.status = self.answer.status_code
        if self.status == 200:
            threading.Thread(target=self._read, daemon=True).start()
        else:
            self.text = self.answer.text

    def _read(self):
        event, lines = "", []
        try:
            for line in self.answer.iter_lines(chunk_size=1, decode_unicode=True):
                self.text += line + "\n"
                if line.startswith("event: "):
                    event = line[7:]
                elif line.startswith("data: "):
                    lines.append(line[6:])
                elif not line and event:
                    self._tell(event, json.loads("\n".join(lines)))
                    event, lines = "", []
        except (requests.RequestException, AttributeError):
            # The server has ended it, or we have.
            pass
        self.events.add(("end", None, None))

    def _tell(self, event, data):
        if event == "keep-alive":
            return
        told = data if isinstance(data, dict) else {}
        self.events.add((event, told.get("key"), told.get("data")))

    def next(self):
        return self.events.next()

    def close(self):
        self.answer.close()


def quoted(text):
    """A text as it stands in an address."""
    return urllib.parse.quote(text, safe="")


def arguments():
    """What a story is given: the program, an empty folder, and what else."""
    return sys.argv[1:]


def finish(failed):
    """Ends the process; threads that still wait for a stream end with it."""
    os._exit(1 if failed else 0)
