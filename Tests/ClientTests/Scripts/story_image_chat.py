"""The story of the image chat, played over HTTP. Arguments: the program `hearth`, an empty folder."""
import json
import re
import struct
import time
import zlib

from checks import equal, wait
from samples import LAST, SampleServer, Steps, User, arguments, finish, quoted

step = Steps()
program, folder = arguments()
server = SampleServer(program, folder, "image-chat", "image-chat")
server.start()

CHANNEL = "/channels/MyChannel"
MESSAGES = CHANNEL + "/messages"
users = {}
streams = {}
said = {}
image = {}


def png(width=4, height=4, color=(91, 63, 184)):
    """A picture of one color."""
    def chunk(kind, data):
        body = kind + data
        return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))
    rows = b"".join(b"\0" + bytes(color) * width for _ in range(height))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def code(answer):
    return answer.json()["error"]["message"].split(" ")[0]


def log_in(email, password):
    return server.account("signInWithPassword", email=email, password=password, returnSecureToken=True)


def mails():
    outbox = server.data / "outbox"
    return [path.read_text() for path in sorted(outbox.glob("*.eml"))] if outbox.exists() else []


def message(user, text, **more):
    return {"userId": users[user].uid, "userName": said[user], "messageText": text,
            "created": {".sv": "timestamp"}, **more}


def follow(name):
    return server.stream(
        MESSAGES, users[name].token, f"events=child_added,child_changed,child_removed&{LAST}")


@step("1. registering takes a name, an e-mail address and a password, the last two required and all checked")
def registering():
    for body, expected in [
            ({"email": "", "password": "long enough"}, "INVALID_EMAIL"),
            ({"email": "no address", "password": "long enough"}, "INVALID_EMAIL"),
            ({"email": "ann@example.org"}, "MISSING_PASSWORD"),
            ({"email": "ann@example.org", "password": "short"}, "WEAK_PASSWORD"),
            ({"password": "long enough"}, "MISSING_EMAIL")]:
        answer = server.account("signUp", returnSecureToken=True, **body)
        equal((body, answer.status_code, code(answer)), (body, 400, expected))
    for name, display in [("ann", "Ann"), ("bob", None), ("eve", "Eve")]:
        body = {"email": f"{name}@example.org", "password": f"password of {name}", "returnSecureToken": True}
        users[name] = User(server.account("signUp", **body, **({"displayName": display} if display else {})))
        said[name] = display or f"{name}@example.org"
    again = server.account("signUp", email="ann@example.org", password="another one", returnSecureToken=True)
    equal(code(again), "EMAIL_EXISTS")


@step("2. logging in, and staying logged in over a restart of client and server")
def staying():
    equal(code(log_in("ann@example.org", "wrong")), "INVALID_LOGIN_CREDENTIALS")
    users["ann"] = User(log_in("ann@example.org", "password of ann"))
    kept = users["ann"].refresh_token
    server.kill()
    server.start()
    answer = server.account("token", grant_type="refresh_token", refresh_token=kept)
    equal(answer.status_code, 200)
    equal(answer.json()["user_id"], users["ann"].uid)
    users["ann"].token = answer.json()["id_token"]


@step("3. a forgotten password: a mail with a code, a new password, the old one no longer works")
def forgotten():
    for address in ["bob@example.org", "nobody@example.org"]:
        answer = server.account("sendOobCode", requestType="PASSWORD_RESET", email=address)
        equal((answer.status_code, answer.json()["email"]), (200, address))
    wait(lambda: len(mails()) == 1)
    equal("bob@example.org" in mails()[0], True)
    sent = re.search(r"oobCode=([A-Za-z0-9_-]+)", mails()[0].replace("=\n", "").replace("=3D", "=")).group(1)
    equal(code(server.account("resetPassword", oobCode="x" * 43, newPassword="new one")), "INVALID_OOB_CODE")
    equal(code(server.account("resetPassword", oobCode=sent, newPassword="short")), "WEAK_PASSWORD")
    equal(server.account("resetPassword", oobCode=sent, newPassword="bob's new password").status_code, 200)
    equal(code(server.account("resetPassword", oobCode=sent, newPassword="once more")), "INVALID_OOB_CODE")
    equal(code(log_in("bob@example.org", "password of bob")), "INVALID_LOGIN_CREDENTIALS")
    old = users["bob"]
    equal(code(server.account("token", grant_type="refresh_token", refresh_token=old.refresh_token)),
          "TOKEN_EXPIRED")
    users["bob"] = User(log_in("bob@example.org", "bob's new password"))
    # What is logged says nothing about it.
    equal(sent in server.talk or "new password" in server.talk, False)


@step("4. every message published to MyChannel reaches every listener, trimmed, under a true name and the server's time")
def publishing():
    for name in ["ann", "bob"]:
        equal(server.ask("GET", MESSAGES, None, users[name].token, query=LAST).status_code, 401)
        joined = server.ask("PUT", f"{CHANNEL}/members/{users[name].uid}", True, users[name].token)
        equal(joined.status_code, 200)
        streams[name] = follow(name)
    for name in ["ann", "bob"]:
        before = int(time.time() * 1000) - 1
        answer = server.ask("POST", MESSAGES, message(name, f"hello from {name}"), users[name].token)
        equal(answer.status_code, 200)
        for stream in streams.values():
            event, key, told = stream.next()
            equal((event, key), ("child_added", answer.json()["name"]))
            equal((told["userId"], told["userName"], told["messageText"]),
                  (users[name].uid, said[name], f"hello from {name}"))
            equal(before <= told["created"] <= int(time.time() * 1000) + 1, True)
    for text in ["", "  ", " not trimmed", "not trimmed\n"]:
        equal(server.ask("POST", MESSAGES, message("ann", text), users["ann"].token).status_code, 401)


@step("5. own and others' messages can be told apart, and nobody sends in another's name")
def telling_apart():
    told = server.ask("GET", MESSAGES, None, users["ann"].token, query=LAST).json().values()
    equal({entry["userId"] for entry in told}, {users["ann"].uid, users["bob"].uid})
    for forged in [{"userId": users["ann"].uid}, {"userName": "Ann"}, {"created": 1}]:
        body = {**message("bob", "forged"), **forged}
        equal((forged, server.ask("POST", MESSAGES, body, users["bob"].token).status_code), (forged, 401))


@step("6. own messages are edited and deleted, others see it at once, and nobody else's can be touched")
def editing():
    key = server.ask("POST", MESSAGES, message("ann", "a mistake"), users["ann"].token).json()["name"]
    for stream in streams.values():
        equal(stream.next()[:2], ("child_added", key))
    change = {"messageText": "mended", "edited": {".sv": "timestamp"}}
    for user in ["bob", "eve"]:
        equal(server.ask("PATCH", f"{MESSAGES}/{key}", change, users[user].token).status_code, 401)
        equal(server.ask("DELETE", f"{MESSAGES}/{key}", None, users[user].token).status_code, 401)
    equal(server.ask("PATCH", f"{MESSAGES}/{key}", change, users["ann"].token).status_code, 200)
    for stream in streams.values():
        event, told, data = stream.next()
        equal((event, told, data["messageText"]), ("child_changed", key, "mended"))
    equal(server.ask("DELETE", f"{MESSAGES}/{key}", None, users["ann"].token).status_code, 200)
    for stream in streams.values():
        equal(stream.next()[:2], ("child_removed", key))


@step("7. an image is stored by the server, bounded in size and type, read by members only, shown in the list")
def images():
    path = f"channels/MyChannel/{users['ann'].uid}/cat.png"
    bytes_ = png()
    stored = server.file("PUT", path, users["ann"].token, bytes_, "image/png")
    equal((stored.status_code, stored.json()["size"]), (200, len(bytes_)))
    shown = server.ask("POST", MESSAGES, message("ann", "", image=path), users["ann"].token)
    equal(shown.status_code, 200)
    for stream in streams.values():
        equal(stream.next()[2]["image"], path)
    read = server.file("GET", path, users["bob"].token)
    equal((read.status_code, read.content, read.headers["Content-Type"]), (200, bytes_, "image/png"))
    for reader in [users["eve"].token, None]:
        for method in ["GET", "HEAD", "PUT", "DELETE"]:
            body, kind = (bytes_, "image/png") if method == "PUT" else (None, None)
            equal((method, server.file(method, path, reader, body, kind).status_code), (method, 401))
    own = f"channels/MyChannel/{users['bob'].uid}/"
    for body, kind, status in [
            (b"\0" * (5 * 1024 * 1024 + 1), "image/png", 401), (b"<html>", "text/html", 401),
            (b"<svg/>", "image/svg+xml", 401), (b"<script>", "image/png", 415), (bytes_, "image/gif", 415)]:
        refused = server.file("PUT", own + "a.png", users["bob"].token, body, kind)
        equal((kind, refused.status_code), (kind, status))
    equal(server.file("PUT", path, users["bob"].token, bytes_, "image/png").status_code, 401)
    equal(server.file("DELETE", path, users["bob"].token).status_code, 401)
    equal(server.file("GET", path, users["ann"].token).content, bytes_)
    image["path"] = path


@step("8. logging out: the listener ends, and the session is revoked")
def logging_out():
    user = users["bob"]
    equal(server.account("signOut", refreshToken=user.refresh_token).status_code, 200)
    event = streams["bob"].next()
    equal(event[0] in ["auth_revoked", "cancel", "end"], True)
    again = server.account("token", grant_type="refresh_token", refresh_token=user.refresh_token)
    equal((again.status_code, code(again)), (400, "TOKEN_EXPIRED"))
    equal(server.ask("GET", MESSAGES, None, user.token, query=LAST).status_code, 401)
    equal(server.file("GET", image["path"], user.token).status_code, 401)
    # Others go on.
    equal(server.ask("POST", MESSAGES, message("ann", "good night"), users["ann"].token).status_code, 200)
    equal(streams["ann"].next()[2]["messageText"], "good night")


@step("9. its snapshot is data as the app writes it, read by who may")
def snapshot():
    data = server.import_snapshot("image-chat")
    equal(server.ask("GET", MESSAGES, None, users["ann"].token, query=LAST).status_code, 401)
    equal(server.ask("PUT", f"{CHANNEL}/members/{users['ann'].uid}", True, users["ann"].token).status_code, 200)
    kept = server.ask("GET", MESSAGES, None, users["ann"].token, query=LAST).json()
    equal(kept, data["channels"]["MyChannel"]["messages"])
    # Each message would be taken from its sender, if the clock were what it was.
    for key, entry in kept.items():
        name = entry["userName"]
        claims = {"email": name} if "@" in name else {"email": "a@example.org", "name": name}
        asked = "auth_variable_override=" + quoted(json.dumps({"uid": entry["userId"], "token": claims}))
        times = {field: {".sv": "timestamp"} for field in ["created", "edited"] if field in entry}
        equal(server.ask("DELETE", f"{MESSAGES}/{key}", headers=server.admin).status_code, 200)
        again = server.ask("PUT", f"{MESSAGES}/{key}", {**entry, **times}, headers=server.admin, query=asked)
        equal((key, again.status_code), (key, 200))


failed = step.play()
server.kill()
finish(failed)
