"""A server of its own for a script: it can be killed, and started again at the same address."""
import re
import signal
import subprocess


class Server:
    """Runs the program at `path` with its data in `folder` and further options, as an emulator or not."""

    def __init__(self, path, folder, *options, emulator=True):
        mode = ["--emulator"] if emulator else []
        self._command = [path, "serve", *mode, "--data", folder, "--log", "error", *options]
        self._process = None
        self.url = None

    def start(self):
        """Starts it, at the same address as before if there was one, and returns when it listens."""
        address = self.url.partition("://")[2] if self.url else "127.0.0.1:0"
        self._process = subprocess.Popen(
            [*self._command, "--listen", address], stderr=subprocess.PIPE, text=True)
        banner = ""
        for line in self._process.stderr:
            banner += line
            found = re.search(r"https?://127\.0\.0\.1:[0-9]+", line)
            if found:
                self.url = found.group()
                return
        raise AssertionError(f"the server did not start:\n{banner}")

    def reload(self):
        """Has it look at its files again."""
        self._process.send_signal(signal.SIGHUP)

    def kill(self):
        """Ends it as a power cut would end a process."""
        self._process.send_signal(signal.SIGKILL)
        self._process.wait()
        self._process.stderr.close()
