"""A headless browser that opens the page beside this script, which posts what its streams tell to here."""
import http.server
import json
import pathlib
import subprocess
import threading

page = pathlib.Path(__file__).with_name("page.html").read_bytes()


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


def open_browser(browser, folder, address, *options):
    usual = [
        "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
        "--disable-background-networking", "--disable-component-update", "--disable-sync",
        f"--user-data-dir={folder / 'browser'}",
    ]
    log = open(folder / "browser.log", "wb")
    return subprocess.Popen([browser, *usual, *options, address], stdout=log, stderr=log)
