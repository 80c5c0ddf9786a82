"""The story of fire3chat, played over HTTP. Arguments: the program `hearth`, an empty folder."""
import re
import time

import requests

from checks import equal
from samples import SampleServer, Steps, arguments, finish

step = Steps()
program, folder = arguments()
server = SampleServer(program, folder, "fire3chat", "fire3chat")
server.start()

LETTERS = "-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz"
count = 0
sent = []


def push_id():
    """A push ID as an app makes one."""
    global count
    count += 1
    head, rest = "", int(time.time() * 1000)
    for _ in range(8):
        head, rest = LETTERS[rest % 64] + head, rest // 64
    return head + "A" * 10 + LETTERS[count // 64] + LETTERS[count % 64]


def message(username, text):
    now = time.localtime()
    clock = f"{now.tm_hour}:{now.tm_min:02}:{now.tm_sec:02}"
    return {"username": username, "message": text, "time": time.strftime("%Y/%m/%d, ", now) + clock}


def send(username, text):
    """As the apps send: one update with a push ID of their own."""
    key, value = push_id(), message(username, text)
    answer = server.ask("PATCH", "/messages", {key: value})
    equal(answer.status_code, 200)
    sent.append((key, value))
    return key


@step("1. a name enters, and leaves its device token if there is one")
def enter():
    equal(server.ask("PATCH", "/tokens", {"ann": "token-of-ann"}).status_code, 200)
    equal(server.ask("PATCH", "/tokens", {"bob": ""}).status_code, 401)
    equal(server.ask("PATCH", "/tokens", {"": "token"}).status_code, 400)
    equal(server.ask("GET", "/tokens", headers=server.admin).json(), {"ann": "token-of-ann"})


@step("2. the list tells the old messages first, then each new one, in key order")
def listing():
    for text in ["first", "second", "third"]:
        send("ann", text)
    stream = server.stream("/messages", query="events=child_added")
    for key, value in sent[:3]:
        equal(stream.next(), ("child_added", key, value))
    send("bob", "fourth")
    equal(stream.next(), ("child_added", *sent[3]))
    equal([key for key, _ in sent], sorted(key for key, _ in sent))
    stream.close()


@step("3. a text that is not empty is sent by an update with a push ID")
def sending():
    key = send("ann", "Hello 🔥")
    equal(server.ask("GET", f"/messages/{key}/message").json(), "Hello 🔥")
    if not re.fullmatch(r"[0-9]{4}/[0-9]{2}/[0-9]{2}, [0-9]{1,2}:[0-9]{2}:[0-9]{2}", sent[-1][1]["time"]):
        raise AssertionError(sent[-1])
    equal(server.ask("PATCH", "/messages", {push_id(): message("ann", "")}).status_code, 401)
    equal(server.ask("PATCH", "/messages", {push_id(): message("", "text")}).status_code, 401)
    # History stays as it was said.
    equal(server.ask("PATCH", "/messages", {key: message("bob", "changed")}).status_code, 401)
    equal(server.ask("DELETE", f"/messages/{key}").status_code, 401)


@step("4. every message says who has sent it, so that own ones can be shown without a name")
def names():
    told = server.ask("GET", "/messages").json()
    equal({value["username"] for value in told.values()}, {"ann", "bob"})
    equal([told[key] for key, _ in sent], [value for _, value in sent])


@step("5. a web page and a phone share the database and talk to each other")
def sharing():
    page = server.stream("/messages", query="events=child_added")
    phone = server.stream("/messages")
    equal([page.next()[1] for _ in sent], [key for key, _ in sent])
    equal(phone.next()[0], "put")
    key = send("page", "Is anybody there?")
    equal(page.next()[1], key)
    # The phone's library hears the update as it was written.
    equal(phone.next(), ("patch", None, {key: sent[-1][1]}))
    answer = send("phone", "I am")
    equal(page.next()[1:], (answer, sent[-1][1]))
    for path, kind in [("/", "text/html"), ("/app.js", "text/javascript"), ("/style.css", "text/css")]:
        reply = requests.get(server.url + path, timeout=60)
        equal((reply.status_code, reply.headers["Content-Type"]), (200, kind + "; charset=utf-8"))


@step("6. tokens are kept for notifications to one or to all, and only the administrator reads them")
def tokens():
    equal(server.ask("PATCH", "/tokens", {"dora": "token-of-dora"}).status_code, 200)
    for path in ["/tokens", "/tokens/ann", "/tokens/dora", "/"]:
        equal(server.ask("GET", path).status_code, 401)
        equal(server.stream(path, query="events=child_added").status, 401)
    equal(server.ask("GET", "/tokens/dora", headers=server.admin).json(), "token-of-dora")
    everybody = server.ask("GET", "/tokens", headers=server.admin).json()
    equal(everybody, {"ann": "token-of-ann", "dora": "token-of-dora"})


failed = step.play()
server.kill()
finish(failed)
