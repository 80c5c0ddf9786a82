"""Clients over TLS: curl, Python's own, the command, and a browser's EventSource.

Arguments: the browser, the program `hearth`, an empty folder.
"""
import json
import pathlib
import socket
import ssl
import subprocess
import sys
import urllib.parse

import requests

from browsing import Told, open_browser, serve_page
from certificates import Authority
from checks import equal, run, wait
from serving import Server

browser, program, folder = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
chain, key = str(folder / "chain.pem"), str(folder / "key.pem")
authority = Authority(folder, "authority")
digest = authority.issue(chain, key)[1]
server = Server(program, str(folder / "data"), "--tls-cert", chain, "--tls-key", key)
server.start()
place = urllib.parse.urlsplit(server.url)
url = f"https://localhost:{place.port}"


def call(*command):
    """Runs a command; returns its status and what it printed."""
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    return done.returncode, done.stdout.strip(), done.stderr


def connect(trusted, **settings):
    """A connection of Python's own; `settings` go to the context and to the handshake."""
    context = settings.pop("context", None) or ssl.create_default_context(cafile=trusted)
    raw = socket.create_connection((place.hostname, place.port), timeout=60)
    return context.wrap_socket(raw, server_hostname="localhost", **settings)


def ask(connection):
    """One request and its answer, which is short."""
    connection.sendall(b"GET /.health HTTP/1.1\r\nHost: localhost\r\n\r\n")
    answer = b""
    while b"ok" not in answer:
        piece = connection.recv(65536)
        if not piece:
            raise AssertionError(f"the answer was cut off: {answer!r}")
        answer += piece


def curl_speaks_both_versions():
    data = json.dumps({"username": "ann", "message": "hi"})
    for options in (["--tlsv1.3"], ["--tls-max", "1.2"], ["--http1.1"]):
        command = ["curl", "-s", "--cacert", authority.file, *options]
        status, text, _ = call(*command, "-X", "PUT", "-d", data, f"{url}/rooms/lobby/last.json")
        equal((status, json.loads(text)), (0, json.loads(data)))
        equal(call(*command, "-w", "%{http_code}", f"{url}/.health")[1], '{"status":"ok"}200')


def curl_refuses_an_authority_it_does_not_know():
    equal(call("curl", "-s", f"{url}/.health")[0], 60)


def plain_http_is_told_what_to_do():
    status, text, _ = call("curl", "-s", "-w", "%{http_code}", f"http://localhost:{place.port}/.health")
    equal((status, "https://" in text, text[-3:]), (0, True, "400"))


def sessions_go_on_by_tickets():
    for version in (ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3):
        context = ssl.create_default_context(cafile=authority.file)
        context.minimum_version = context.maximum_version = version
        with connect(None, context=context) as first:
            ask(first)
            equal(first.session_reused, False)
            session = first.session
        with connect(None, context=context, session=session) as second:
            ask(second)
            equal(second.session_reused, True)


def old_versions_are_refused():
    context = ssl.create_default_context(cafile=authority.file)
    context.set_ciphers("ALL:@SECLEVEL=0")
    context.minimum_version = ssl.TLSVersion.TLSv1
    context.maximum_version = ssl.TLSVersion.TLSv1_1
    try:
        connect(None, context=context)
    except ssl.SSLError as error:
        equal(error.reason in ("TLSV1_ALERT_PROTOCOL_VERSION", "UNSUPPORTED_PROTOCOL"), True)
    else:
        raise AssertionError("TLS 1.1 was spoken")


def the_protocol_is_agreed_upon():
    context = ssl.create_default_context(cafile=authority.file)
    context.set_alpn_protocols(["h2", "http/1.1"])
    with connect(None, context=context) as connection:
        equal(connection.selected_alpn_protocol(), "http/1.1")
    context.set_alpn_protocols(["h2"])
    try:
        connect(None, context=context)
    except ssl.SSLError as error:
        equal("no application protocol" in str(error).replace("_", " ").lower(), True)
    else:
        raise AssertionError("a protocol that nobody speaks was agreed upon")


def a_stream_tells_events():
    headers = {"Accept": "text/event-stream"}
    with requests.get(f"{url}/rooms/b.json", headers=headers, stream=True, verify=authority.file, timeout=60) as stream:
        lines = stream.iter_lines(chunk_size=1, decode_unicode=True)
        equal(next(line for line in lines if line.startswith("data")), 'data: {"path":"/","data":null}')
        requests.put(f"{url}/rooms/b/topic.json", data='"hi"', verify=authority.file, timeout=60)
        equal(next(line for line in lines if line.startswith("data")), 'data: {"path":"/topic","data":"hi"}')


def the_command_asks_over_tls():
    common = ["--url", url, "--token", "owner", "--ca", authority.file]
    text = json.dumps("hearth " * 300_000)
    (folder / "long.json").write_text(text)
    equal(call(program, "set", "/long", str(folder / "long.json"), "--force", *common)[0], 0)
    equal(call(program, "get", "/long", *common)[:2], (0, text))
    equal(call(program, "import", "/imported", str(folder / "long.json"), *common)[0], 0)
    equal(call(program, "get", "/imported", *common)[:2], (0, text))
    status, _, talk = call(program, "get", "/long", "--url", url)
    equal((status, "--ca" in talk), (1, True))
    status, _, talk = call(program, "get", "/long", *common[2:], "--url", f"http://localhost:{place.port}")
    equal((status, "https://" in talk), (1, True))


def a_browser_hears_events():
    told = Told()
    query = urllib.parse.urlencode({"server": url})
    window = open_browser(
        browser, folder, f"{serve_page(told)}?{query}", f"--ignore-certificate-errors-spki-list={digest}")
    try:
        wait(lambda: told.opened("children") == 1 and told.opened("values") == 1)
        requests.put(
            f"{url}/rooms/lobby/messages/a.json", data='{"message":"hi"}', verify=authority.file, timeout=60)
        wait(lambda: told.events("children") and len(told.events("values")) == 2)
    finally:
        window.terminate()
        window.wait(60)
    equal(told.events("children")[0]["data"]["key"], "a")
    equal(told.events("values")[1]["data"], {"path": "/a", "data": {"message": "hi"}})


def a_new_certificate_is_shown_without_a_restart():
    with connect(authority.file) as before:
        ask(before)
        number = authority.issue(chain, key)[0]
        server.reload()

        def shown():
            with connect(authority.file) as connection:
                return int(connection.getpeercert()["serialNumber"], 16)

        wait(lambda: shown() == number)
        ask(before)


run(
    curl_speaks_both_versions, curl_refuses_an_authority_it_does_not_know, plain_http_is_told_what_to_do,
    sessions_go_on_by_tickets, old_versions_are_refused, the_protocol_is_agreed_upon, a_stream_tells_events,
    the_command_asks_over_tls, a_browser_hears_events, a_new_certificate_is_shown_without_a_restart,
    after=server.kill)
