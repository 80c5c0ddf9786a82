"""A headless Chromium, driven through its pipe: pages that are typed into, clicked and looked at."""
import base64
import json
import os
import pathlib
import subprocess
import threading
import time

PATIENCE_SECONDS = 60
DESK, PHONE = (1100, 760), (390, 780)


class Chromium:
    """The browser at `program`, with what it keeps in `folder`. Pages of one window share a session, as tabs do."""

    def __init__(self, program, folder):
        folder = pathlib.Path(folder)
        self._lock = threading.Lock()
        self._answers = {}
        self._arrival = threading.Condition(self._lock)
        self._number = 0
        self._listeners = {}
        to_browser, self._write = os.pipe()
        self._read, from_browser = os.pipe()
        options = [
            "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
            "--disable-background-networking", "--disable-component-update", "--disable-sync", "--mute-audio",
            "--hide-scrollbars", "--remote-debugging-pipe", f"--user-data-dir={folder / 'browser'}", "about:blank",
        ]
        self._log = open(folder / "browser.log", "ab")
        # The browser reads from descriptor 3 and writes to descriptor 4.
        command = f'exec "$@" 3<&{to_browser} 4>&{from_browser}'
        self._process = subprocess.Popen(
            ["bash", "-c", command, "bash", program, *options], stdout=self._log, stderr=self._log,
            pass_fds=(to_browser, from_browser))
        os.close(to_browser)
        os.close(from_browser)
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self):
        pending = b""
        while True:
            piece = os.read(self._read, 1 << 16)
            if not piece:
                return
            pending += piece
            *messages, pending = pending.split(b"\0")
            for message in messages:
                self._take(json.loads(message))

    def _take(self, message):
        with self._lock:
            if "id" in message:
                self._answers[message["id"]] = message
                self._arrival.notify_all()
                return
            listener = self._listeners.get(message.get("sessionId"))
        if listener:
            listener(message["method"], message["params"])

    def call(self, method, session=None, **parameters):
        """Makes a call of the DevTools protocol and returns its result."""
        with self._lock:
            self._number += 1
            number = self._number
        message = {"id": number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        end = time.monotonic() + PATIENCE_SECONDS
        with self._lock:
            while number not in self._answers:
                if not self._arrival.wait(end - time.monotonic()):
                    raise AssertionError(f"the browser does not answer {method}")
            answer = self._answers.pop(number)
        if "error" in answer:
            raise AssertionError(f"{method}: {answer['error']}")
        return answer["result"]

    def window(self):
        """A window of its own: nothing is shared with others."""
        return Window(self, self.call("Target.createBrowserContext")["browserContextId"])

    def listen(self, session, listener):
        with self._lock:
            self._listeners[session] = listener

    def close(self):
        self._process.terminate()
        self._process.wait(PATIENCE_SECONDS)
        self._log.close()


class Window:
    """One person's browser."""

    def __init__(self, browser, context):
        self._browser = browser
        self._context = context

    def open(self, address, size=DESK):
        """Opens a page in a tab."""
        target = self._browser.call(
            "Target.createTarget", url="about:blank", browserContextId=self._context)["targetId"]
        page = Page(self._browser, target, size)
        page.go(address)
        return page


class Page:
    """A page in a tab; elements are named by selectors of CSS."""

    def __init__(self, browser, target, size):
        self._browser = browser
        self._target = target
        self._session = browser.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        #: What the page has complained about in its console.
        self.complaints = []
        browser.listen(self._session, self._hear)
        for domain in ["Page", "Runtime", "Log", "DOM"]:
            self.call(f"{domain}.enable")
        self.resize(size)

    def _hear(self, method, parameters):
        if method == "Runtime.exceptionThrown":
            self.complaints.append(parameters["exceptionDetails"].get("exception", {}).get("description", "?"))
        if method == "Page.javascriptDialogOpening":
            self.complaints.append("a dialog was opened: " + parameters["message"])
        if method == "Log.entryAdded" and parameters["entry"]["source"] == "security":
            self.complaints.append(parameters["entry"]["text"])

    def call(self, method, **parameters):
        return self._browser.call(method, self._session, **parameters)

    def go(self, address):
        self.call("Page.navigate", url=address)
        self.wait("document.readyState === 'complete'")

    def resize(self, size):
        self.call("Emulation.setDeviceMetricsOverride", width=size[0], height=size[1], deviceScaleFactor=1,
                  mobile=size == PHONE)

    def is_dark(self, dark):
        self.call("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"},
            {"name": "prefers-reduced-motion", "value": "reduce"}])

    def ask(self, expression):
        """The value of an expression in the page, which may be a promise."""
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise AssertionError(f"{expression}: {result['exceptionDetails']['exception'].get('description')}")
        return result["result"].get("value")

    def wait(self, expression, value=True):
        """Waits until an expression has a value, with a bound."""
        end = time.monotonic() + PATIENCE_SECONDS
        while True:
            found = self.ask(expression)
            if found == value:
                return
            if time.monotonic() > end:
                raise AssertionError(f"{expression}: expected {value!r}, found {found!r}")
            time.sleep(0.03)

    def text(self, selector):
        return self.ask(f"document.querySelector({json.dumps(selector)})?.innerText.trim() ?? null")

    def wait_text(self, selector, text):
        self.wait(f"document.querySelector({json.dumps(selector)})?.innerText.trim() ?? null", text)

    def texts(self, selector):
        """A script for the texts of all elements."""
        return f"[...document.querySelectorAll({json.dumps(selector)})].map((e) => e.innerText.trim())"

    def is_shown(self, selector):
        return self.ask(f"!!document.querySelector({json.dumps(selector)})?.checkVisibility()")

    def focus(self, selector):
        self.ask(f"document.querySelector({json.dumps(selector)}).focus()")

    def type(self, selector, text):
        """Types a text into an empty field, as a keyboard does."""
        self.ask(f"document.querySelector({json.dumps(selector)}).select()")
        self.focus(selector)
        if text:
            self.call("Input.insertText", text=text)
        else:
            self.press("Delete")

    def press(self, key, modifiers=0):
        codes = {"Enter": (13, "\r"), "Tab": (9, ""), "Escape": (27, ""), "Delete": (46, ""), " ": (32, " ")}
        number, text = codes[key]
        facts = {"key": key, "code": "Space" if key == " " else key, "windowsVirtualKeyCode": number,
                 "modifiers": modifiers}
        self.call("Input.dispatchKeyEvent", type="keyDown", **facts, **({"text": text} if text else {}))
        self.call("Input.dispatchKeyEvent", type="keyUp", **facts)

    def click(self, selector):
        """Clicks into the middle of an element, which has to be there for the eye."""
        self.wait(f"!!document.querySelector({json.dumps(selector)})?.checkVisibility()")
        place = self.ask(
            f"(() => {{ const e = document.querySelector({json.dumps(selector)});"
            " e.scrollIntoView({block: 'nearest'}); const r = e.getBoundingClientRect();"
            " return [r.x + r.width / 2, r.y + r.height / 2]; })()")
        for kind in ["mousePressed", "mouseReleased"]:
            self.call("Input.dispatchMouseEvent", type=kind, x=place[0], y=place[1], button="left", clickCount=1)

    def choose(self, selector, path):
        """Chooses a file in a field for files."""
        root = self.call("DOM.getDocument")["root"]["nodeId"]
        node = self.call("DOM.querySelector", nodeId=root, selector=selector)["nodeId"]
        self.call("DOM.setFileInputFiles", files=[str(path)], nodeId=node)

    def photograph(self, path):
        self.ask("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        pathlib.Path(path).write_bytes(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))

    def unnamed(self):
        """What can be focused and has no name for a screen reader."""
        tree = self.call("Accessibility.getFullAXTree")["nodes"]
        found = []
        for node in tree:
            focusable = any(entry["name"] == "focusable" and entry["value"]["value"]
                            for entry in node.get("properties", []))
            role = node.get("role", {}).get("value")
            if focusable and role not in ("RootWebArea",) and not node.get("name", {}).get("value"):
                found.append(role)
        return found

    def close(self):
        self._browser.call("Target.closeTarget", targetId=self._target)
