"""Requests that nobody should get through. Arguments: the program `hearth`, an empty folder."""
import http.client
import pathlib

import requests

from checks import equal, wait
from samples import LAST, SampleServer, Steps, User, arguments, finish

step = Steps()
program, folder = arguments()
server = SampleServer(program, folder, "image-chat", "image-chat")
server.start()

CHANNEL = "/channels/MyChannel"
MESSAGES = CHANNEL + "/messages"
GIF = b"GIF89a" + bytes(100)


def register(name):
    user = User(server.account(
        "signUp", email=f"{name}@example.org", password="a long password", displayName=name, returnSecureToken=True))
    equal(server.ask("PUT", f"{CHANNEL}/members/{user.uid}", True, user.token).status_code, 200)
    return user


ann, bob = register("Ann"), register("Bob")
KEY = server.ask("POST", MESSAGES, {
    "userId": ann.uid, "userName": "Ann", "messageText": "mine", "created": {".sv": "timestamp"},
}, ann.token).json()["name"]


def raw(target, method="GET", body=None, headers=None):
    """Asks for a target as it stands, which a client would tidy."""
    connection = http.client.HTTPConnection(server.url.removeprefix("http://"), timeout=60)
    try:
        connection.putrequest(method, target, skip_accept_encoding=True)
        for name, value in (headers or {}).items():
            connection.putheader(name, value)
        if body is not None:
            connection.putheader("Content-Length", str(len(body)))
        connection.endheaders(body)
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


@step("path escapes out of the public directory")
def public_escapes():
    token = (server.data / "admin-token").read_bytes().strip()
    for target in [
            "/../data/admin-token", "/%2e%2e/data/admin-token", "/..%2f..%2fdata/admin-token",
            "/a/../../../rules/image-chat/rules.json", "/%2e%2e/%2e%2e/%2e%2e/etc/passwd", "//etc/passwd",
            "/..\\..\\data\\admin-token", "/app.js/../../../../README.md", "/%00/app.js", "/.git/config",
            "/%2egit/config", "/./app.js", "/%252e%252e/README.md", "/app.js%00.html", "http://evil/../README.md"]:
        status, body = raw(target)
        equal((target, status in (400, 404)), (target, True))
        equal((target, token in body or b"Hearth\n" in body or b"root:" in body), (target, False))
    equal(raw("/app.js")[0], 200)


@step("path escapes out of the uploaded files")
def file_escapes():
    before = sorted(path.name for path in pathlib.Path(folder).rglob("*") if not path.name.startswith("journal"))
    own = f"/.files/channels/MyChannel/{bob.uid}"
    for target in [
            f"{own}/../{ann.uid}/a.gif", f"{own}/%2e%2e/{ann.uid}/a.gif", f"{own}/..%2f{ann.uid}%2fa.gif",
            f"{own}//a.gif", f"{own}/./a.gif", f"{own}/a%00.gif", f"{own}/a%5c..%5cb.gif", "/.files/../../../a.gif",
            f"{own}/a/b/c.gif?ns=../x", f"/.files/channels/MyChannel/{ann.uid}/a.gif"]:
        joint = "&" if "?" in target else "?"
        status, _ = raw(f"{target}{joint}auth={bob.token}", "PUT", GIF, {"Content-Type": "image/gif"})
        equal((target, status in (400, 401, 404)), (target, True))
    after = sorted(path.name for path in pathlib.Path(folder).rglob("*") if not path.name.startswith("journal"))
    equal(after, before)


@step("oversized uploads, told and untold")
def oversized():
    own = f"channels/MyChannel/{bob.uid}/a.gif"
    equal(server.file("PUT", own, bob.token, GIF + bytes(5 * 1024 * 1024), "image/gif").status_code, 401)
    status, _ = raw(f"/.files/{own}?auth={bob.token}", "PUT", None,
                    {"Content-Type": "image/gif", "Content-Length": str(1 << 40)})
    equal(status, 413)
    chunks = requests.put(f"{server.url}/.files/{own}?auth={bob.token}", data=iter([GIF, GIF]),
                          headers={"Content-Type": "image/gif"}, timeout=60)
    equal(chunks.status_code, 411)
    equal(server.file("GET", own, bob.token).status_code, 404)


@step("uploads that are not what they say")
def mistyped():
    own = f"channels/MyChannel/{bob.uid}/a.gif"
    for body, kind in [
            (b"<html><script>alert(1)</script>", "image/gif"), (b"<svg onload='alert(1)'/>", "image/png"),
            (GIF, "image/png"), (GIF, "image/webp"), (b"", "image/gif")]:
        equal((kind, server.file("PUT", own, bob.token, body, kind).status_code), (kind, 415))
    for kind in ["text/html", "image/svg+xml", "application/xhtml+xml", "text/javascript", "image/gif, text/html"]:
        status = server.file("PUT", own, bob.token, b"<script>alert(1)</script>", kind).status_code
        equal((kind, status in (400, 401)), (kind, True))
    equal(server.file("GET", own, bob.token).status_code, 404)


@step("an upload that breaks off leaves nothing")
def broken_off():
    own = f"/.files/channels/MyChannel/{bob.uid}/a.gif?auth={bob.token}"
    connection = http.client.HTTPConnection(server.url.removeprefix("http://"), timeout=60)
    connection.putrequest("PUT", own)
    connection.putheader("Content-Type", "image/gif")
    connection.putheader("Content-Length", "1000000")
    connection.endheaders(GIF + bytes(500000))
    wait(lambda: any(path.name.startswith("upload-") for path in server.data.iterdir()))
    connection.close()
    wait(lambda: not any(path.name.startswith("upload-") for path in server.data.iterdir()))
    equal(raw(own)[0], 404)


@step("an upload never acts as a page of the app")
def never_a_page():
    path = f"channels/MyChannel/{bob.uid}/page.gif"
    # As the administrator, whom the rules do not bind.
    stored = server.file("PUT", path, None, b"<script>alert(1)</script>", "text/html", server.admin)
    equal(stored.status_code, 200)
    answer = server.file("GET", path, bob.token)
    equal(answer.headers["Content-Security-Policy"], "sandbox; default-src 'none'")
    equal(answer.headers["X-Content-Type-Options"], "nosniff")
    equal(answer.headers["Content-Disposition"], "attachment")
    equal(server.file("DELETE", path, None, headers=server.admin).status_code, 200)


@step("edits of what another has said")
def cross_edits():
    place = f"{MESSAGES}/{KEY}"
    for method, path, value in [
            ("PUT", place, {}), ("PUT", place + "/messageText", "changed"), ("DELETE", place, {}),
            ("PATCH", place, {"messageText": "changed"}), ("PATCH", "/", {f"{place[1:]}/messageText": "changed"}),
            ("PATCH", MESSAGES, {KEY: None}), ("PUT", MESSAGES, {}), ("DELETE", CHANNEL, {}), ("DELETE", "/", {}),
            ("PUT", place + "/userId", bob.uid), ("PUT", f"{CHANNEL}/members/{ann.uid}", {}),
            ("PUT", place + "/.priority", 1)]:
        plain = server.ask(method, path, value, bob.token)
        equal((method, path, plain.status_code), (method, path, 401))
        overridden = server.ask("POST", path, value, bob.token, {"X-HTTP-Method-Override": method})
        equal((method, path, overridden.status_code), (method, path, 401))
    kept = server.ask("GET", MESSAGES, None, bob.token, query=LAST).json()
    equal([entry["messageText"] for entry in kept.values()], ["mine"])


@step("the third person, at every door")
def third_person():
    eve = User(server.account("signUp", email="eve@example.org", password="a long password", returnSecureToken=True))
    for query in ["", LAST, "shallow=true", "callback=f", "feed=longpoll&timeout=0s", "format=export"]:
        for place in [MESSAGES, f"{MESSAGES}/{KEY}", f"{CHANNEL}/members", CHANNEL, "/channels", "/"]:
            for token in [eve.token, None, ann.token[:-4] + "AAAA", ann.refresh_token]:
                answer = server.ask("GET", place, None, token, query=query)
                equal((place, query, answer.status_code, "mine" in answer.text), (place, query, 401, False))
                equal(server.stream(place, token, query).status, 401)


failed = step.play()
server.kill()
finish(failed)
