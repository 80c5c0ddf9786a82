"""Runs the checks of a script in turn and prints a line for each: `passed NAME` or `failed NAME`."""
import os
import queue
import sys
import time
import traceback

PATIENCE_SECONDS = 60


class Events:
    """What a stream has told, taken out in order and with a bound on every wait."""

    def __init__(self):
        self._queue = queue.Queue()

    def add(self, event):
        self._queue.put(event)

    def next(self):
        """The next event; fails when none comes."""
        try:
            return self._queue.get(timeout=PATIENCE_SECONDS)
        except queue.Empty:
            raise AssertionError("no event came") from None

    def expect(self, *events):
        """Takes as many events as are given, which have to be these."""
        for event in events:
            equal(self.next(), event)

    def expect_no_more(self):
        """Fails if there is an event that nobody has taken."""
        if not self._queue.empty():
            raise AssertionError(f"an event too many: {self._queue.get()}")


def equal(found, expected):
    """Fails unless both are the same."""
    if found != expected:
        raise AssertionError(f"expected {expected!r}, found {found!r}")


def fails(error, text, action):
    """Fails unless `action` raises `error` with `text` in its message."""
    try:
        result = action()
    except error as raised:
        if text not in str(raised):
            raise AssertionError(f"expected an error with {text!r}, found {raised!r}") from raised
        return
    raise AssertionError(f"expected an error with {text!r}, found the result {result!r}")


def wait(condition):
    """Waits until `condition()` is true, with a bound."""
    end = time.monotonic() + PATIENCE_SECONDS
    while not condition():
        if time.monotonic() > end:
            raise AssertionError("what was waited for did not come")
        time.sleep(0.02)


def run(*checks, after=None):
    """Runs the checks, then `after`; the process ends with status 1 if one of them failed."""
    failed = 0
    for check in checks:
        name = check.__name__.replace("_", " ")
        try:
            check()
            print("passed", name, flush=True)
        except BaseException:
            failed += 1
            print("failed", name, flush=True)
            traceback.print_exc(file=sys.stdout)
    if after:
        after()
    sys.stdout.flush()
    # Threads of a client may still wait for a stream: they end with the process.
    os._exit(1 if failed else 0)
