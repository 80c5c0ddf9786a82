"""The story of TChat, played over HTTP. Arguments: the program `hearth`, an empty folder."""
import json
import pathlib

from checks import equal
from samples import FIRST, LAST, SampleServer, Steps, User, arguments, finish, quoted

step = Steps()
program, folder = arguments()
server = SampleServer(program, folder, "tchat", "private-chat")
server.start()

PASSWORDS = {"Ann": "ann's fireplace", "Bob": "bob's fireplace", "Eve": "eve's fireplace"}
LOBBY = "/rooms/lobby/messages"
SECRET = "only between ann and bob"
users = {}
streams = {}


def register(name, password):
    return server.account(
        "signUp", email=f"{name.lower()}@tchat.example", password=password, returnSecureToken=True)


def log_in(name, password):
    return server.account(
        "signInWithPassword", email=f"{name.lower()}@tchat.example", password=password, returnSecureToken=True)


def private(first, second):
    pair = sorted([users[first].uid, users[second].uid])
    return f"/conversations/{pair[0]}/{pair[1]}/messages"


def say(name, place, text):
    message = {"from": users[name].uid, "text": text, "time": {".sv": "timestamp"}}
    return server.ask("POST", place, message, users[name].token)


def follow(name, place):
    return server.stream(place, users[name].token, f"events=child_added&{LAST}")


def code(answer):
    return answer.json()["error"]["message"].split(" ")[0]


@step("1. three users register with a name and a password")
def registering():
    for name, password in PASSWORDS.items():
        users[name] = User(register(name, password))
        profile = server.ask("PUT", f"/users/{users[name].uid}", {"name": name}, users[name].token)
        equal(profile.status_code, 200)
    people = server.ask("GET", "/users", None, users["Ann"].token, query=FIRST).json()
    equal(sorted(person["name"] for person in people.values()), sorted(PASSWORDS))


@step("2. a taken name is refused, in whatever case")
def taken():
    for name in ["Ann", "ANN", "ann"]:
        answer = register(name, "another password")
        equal((answer.status_code, code(answer)), (400, "EMAIL_EXISTS"))


@step("3. a wrong password is refused, and no more is told than for a name that nobody has")
def wrong():
    for name in ["Ann", "Nobody"]:
        answer = log_in(name, "not the password")
        equal((answer.status_code, code(answer)), (400, "INVALID_LOGIN_CREDENTIALS"))
    users["Ann"] = User(log_in("Ann", PASSWORDS["Ann"]))


@step("4. what is said to all is seen by all")
def everyone():
    for name in users:
        streams[name] = follow(name, LOBBY)
        equal(streams[name].status, 200)
    for name in users:
        key = say(name, LOBBY, f"hello from {name}").json()["name"]
        for stream in streams.values():
            event, told, message = stream.next()
            equal((event, told, message["from"], message["text"]),
                  ("child_added", key, users[name].uid, f"hello from {name}"))


@step("5. two go private, and the third sees none of it")
def going_private():
    place = private("Ann", "Bob")
    talk = {name: follow(name, place) for name in ["Ann", "Bob"]}
    for name in ["Ann", "Bob", "Ann"]:
        equal(say(name, place, SECRET).status_code, 200)
        for stream in talk.values():
            event, _, message = stream.next()
            equal((event, message["from"], message["text"]), ("child_added", users[name].uid, SECRET))
    equal(follow("Eve", place).status, 401)
    equal(say("Eve", place, "me too").status_code, 401)


@step("6. back to all, everybody is there again")
def back():
    say("Bob", LOBBY, "back again")
    for stream in streams.values():
        equal(stream.next()[2]["text"], "back again")
        if SECRET in stream.text:
            raise AssertionError("a private message was told to all")


@step("7. private messages are read by their two people alone, by no endpoint and no stream of others")
def privacy():
    place = private("Ann", "Bob")
    parent, pair = place.removesuffix("/messages"), place.split("/")[2]
    key = next(iter(server.ask("GET", place, None, users["Ann"].token, query=LAST).json()))
    places = [place, f"{place}/{key}", f"{place}/{key}/text", parent, f"/conversations/{pair}", "/conversations", "/"]
    queries = [
        "", LAST, "shallow=true", "format=export", "callback=f", "print=pretty", "feed=longpoll&timeout=0s",
        f"feed=longpoll&timeout=0s&{LAST}", "feed=longpoll&timeout=0s&events=value", 'orderBy="text"&limitToLast=9',
        'auth_variable_override={"uid":"' + users["Ann"].uid + '"}', "ns=default", "download=a.json",
    ]
    for who in [users["Eve"].token, None, "none", users["Eve"].refresh_token]:
        for at in places:
            for query in queries:
                for method in ["GET", "HEAD"]:
                    answer = server.ask(method, at, None, who, query=query)
                    # There is no HEAD of a feed.
                    allowed = [400, 401] if method == "HEAD" and "feed" in query else [401]
                    equal((at, query, answer.status_code in allowed), (at, query, True))
                    if SECRET in answer.text:
                        raise AssertionError(f"{at}?{query} tells a private message")
            for query in ["", LAST, f"events=child_added&{LAST}", "events=value"]:
                stream = server.stream(at, who, query)
                equal((at, query, stream.status), (at, query, 401))
            for method, value in [("PUT", 1), ("PATCH", {"a": 1}), ("POST", 1), ("DELETE", None)]:
                equal((method, server.ask(method, at, value, who).status_code), (method, 401))
    for path in ["/.settings/rules", "/.settings/backup", "/.inspect/server", "/.inspect/denials"]:
        equal((path, server.ask("GET", path, None, users["Eve"].token).status_code), (path, 401))
    kept = server.ask("GET", place, None, users["Bob"].token, query=LAST).json()
    equal([message["text"] for message in kept.values()], [SECRET] * 3)


@step("8. nobody speaks in another's name or changes what was said")
def names():
    forged = {"from": users["Ann"].uid, "text": "I am Ann", "time": {".sv": "timestamp"}}
    equal(server.ask("POST", LOBBY, forged, users["Eve"].token).status_code, 401)
    equal(server.ask("PUT", f"/users/{users['Eve'].uid}", {"name": "Ann"}, users["Eve"].token).status_code, 401)
    said = server.ask("GET", LOBBY, None, users["Ann"].token, query=LAST).json()
    for key in said:
        equal(server.ask("DELETE", f"{LOBBY}/{key}", None, users["Eve"].token).status_code, 401)
        equal(server.ask("PUT", f"{LOBBY}/{key}/text", "changed", users["Eve"].token).status_code, 401)


@step("9. passwords lie nowhere in the clear")
def passwords():
    files = [path for path in pathlib.Path(folder).rglob("*") if path.is_file()]
    if not files:
        raise AssertionError("there are no files to look into")
    for path in files:
        content = path.read_bytes()
        for password in PASSWORDS.values():
            if password.encode() in content:
                raise AssertionError(f"{path.name} has a password")
    for password in PASSWORDS.values():
        if password in server.talk:
            raise AssertionError("the log has a password")


@step("10. the last 1,000 messages of a conversation come as one query")
def last():
    place = private("Bob", "Eve")
    token = users["Bob"].token
    letters = "0123456789abcdefghijklmnopqrstuvwxyz"
    for start in range(0, 1010, 101):
        update = {}
        for number in range(start, start + 101):
            key = "-AAAAAAAAAAAAAAAAA" + letters[number // 36] + letters[number % 36]
            update[key] = {"from": users["Bob"].uid, "text": f"number {number}", "time": {".sv": "timestamp"}}
        equal(server.ask("PATCH", place, update, token).status_code, 200)
    told = server.ask("GET", place, None, users["Eve"].token, query=LAST).json()
    equal(sorted(int(message["text"].split()[1]) for message in told.values()), list(range(10, 1010)))
    equal(server.ask("GET", place, None, users["Eve"].token).status_code, 401)


@step("11. its snapshot is data as the app writes it, read by who may")
def snapshot():
    data = server.import_snapshot("tchat")
    lobby = server.ask("GET", LOBBY, None, users["Ann"].token, query=LAST).json()
    equal(lobby, data["rooms"]["lobby"]["messages"])
    first, rest = next(iter(data["conversations"].items()))
    second = next(iter(rest))
    place = f"/conversations/{first}/{second}/messages"
    equal(server.ask("GET", place, None, users["Ann"].token, query=LAST).status_code, 401)
    # Each message would be taken from its sender, if the clock were what it was.
    for at, messages in [(LOBBY, lobby), (place, rest[second]["messages"])]:
        for key, message in messages.items():
            asked = f'auth_variable_override={quoted(json.dumps({"uid": message["from"]}))}'
            equal(server.ask("DELETE", f"{at}/{key}", headers=server.admin).status_code, 200)
            again = server.ask("PUT", f"{at}/{key}", {**message, "time": {".sv": "timestamp"}},
                               headers=server.admin, query=asked)
            equal((key, again.status_code), (key, 200))


failed = step.play()
server.kill()
finish(failed)
