"""Pyrebase, a widely used Python client of the REST API. Argument: the server's address."""
import sys
import threading

import pyrebase
import requests

from checks import Events, equal, fails, run, wait

server = sys.argv[1]
firebase = pyrebase.initialize_app(
    {"apiKey": "none", "authDomain": "none", "databaseURL": server, "storageBucket": "none"})
db = firebase.database()


def sets_and_gets():
    equal(db.child("rooms").child("lobby").get().val(), None)
    equal(db.child("rooms").child("lobby").set({"topic": "tea", "count": 1}), {"topic": "tea", "count": 1})
    found = db.child("rooms").child("lobby").get()
    equal((found.key(), dict(found.val())), ("lobby", {"topic": "tea", "count": 1}))
    equal(db.child("rooms/lobby/topic").get().val(), "tea")
    equal([child.key() for child in db.child("rooms").get().each()], ["lobby"])
    db.child("rooms").child("list").set(["zero", "one"])
    equal(db.child("rooms").child("list").get().val(), ["zero", "one"])


def pushes():
    names = [db.child("rooms").child("pushed").push({"message": str(number)})["name"] for number in range(5)]
    equal(names, sorted(names))
    equal([child.val()["message"] for child in db.child("rooms").child("pushed").get().each()], list("01234"))
    own = db.generate_key()
    db.child("rooms").child("pushed").child(own).set({"message": "own"})
    equal(db.child("rooms").child("pushed").child(own).child("message").get().val(), "own")


def updates():
    db.child("rooms").child("updated").set({"a": 1, "b": {"c": 2, "d": 3}})
    equal(db.child("rooms").child("updated").update({"a": 5, "b/c": 6}), {"a": 5, "b/c": 6})
    equal(dict(db.child("rooms").child("updated").get().val()), {"a": 5, "b": {"c": 6, "d": 3}})
    db.update({"rooms/updated/a": None, "rooms/other": 1})
    equal(dict(db.child("rooms").child("updated").get().val()), {"b": {"c": 6, "d": 3}})


def removes():
    db.child("rooms").child("removed").set({"a": 1, "b": 2})
    equal(db.child("rooms").child("removed").child("a").remove(), None)
    equal(dict(db.child("rooms").child("removed").get().val()), {"b": 2})
    db.child("rooms").child("removed").remove()
    equal(db.child("rooms").child("removed").get().val(), None)


def orders_and_limits():
    indexes = {"q": {".indexOn": ["rank", "name"]}, "v": {".indexOn": ".value"}}
    rules = {"rules": {".read": True, ".write": True, **indexes}}
    owner = {"Authorization": "Bearer owner"}
    answer = requests.put(f"{server}/.settings/rules.json", json=rules, headers=owner)
    equal(answer.json(), {"status": "ok"})
    db.child("q").set({
        "a": {"rank": 3, "name": "cas"}, "b": {"rank": 1, "name": "ann"}, "c": {"rank": 2, "name": "bob"}})

    def keys(query):
        return [child.key() for child in query.get().each()]

    equal(keys(db.child("q").order_by_child("rank")), ["b", "c", "a"])
    equal(keys(db.child("q").order_by_child("rank").limit_to_first(2)), ["b", "c"])
    equal(keys(db.child("q").order_by_child("rank").limit_to_last(1)), ["a"])
    equal(keys(db.child("q").order_by_child("rank").start_at(2)), ["c", "a"])
    equal(keys(db.child("q").order_by_child("rank").start_at(2).end_at(2)), ["c"])
    equal(keys(db.child("q").order_by_child("name").equal_to("ann")), ["b"])
    equal(keys(db.child("q").order_by_child("name").start_at("b").limit_to_first(1)), ["c"])
    equal(keys(db.child("q").order_by_key().start_at("b")), ["b", "c"])
    equal(keys(db.child("q").order_by_key().limit_to_last(1)), ["c"])
    db.child("v").set({"ann": 30, "bob": 10, "cas": 20})
    equal(keys(db.child("v").order_by_value()), ["bob", "cas", "ann"])
    equal(keys(db.child("v").order_by_value().limit_to_first(2)), ["bob", "cas"])
    equal(keys(db.child("v").order_by_value().equal_to(20)), ["cas"])
    found = db.sort(db.child("q").get(), "rank", reverse=True)
    equal([child.key() for child in found.each()], ["a", "c", "b"])
    unindexed = db.child("q").order_by_child("age")
    fails(requests.exceptions.HTTPError, "Index not defined", unindexed.get)
    equal(keys(db.child("q").order_by_child("rank").equal_to(9)), [])


def reads_keys_alone():
    db.child("rooms").child("shallow").set({"a": {"deep": 1}, "b": 2})
    equal(set(db.child("rooms").child("shallow").shallow().get().val()), {"a", "b"})


def sets_and_removes_under_a_condition():
    db.child("rooms").child("tagged").set("tea")
    found = db.child("rooms").child("tagged").get_etag()
    equal(found["value"], "tea")
    equal(db.child("rooms").child("tagged").conditional_set("coffee", found["ETag"]), "coffee")
    refused = db.child("rooms").child("tagged").conditional_set("milk", found["ETag"])
    equal(refused["value"], "coffee")
    equal(db.child("rooms").child("tagged").conditional_remove(found["ETag"]), refused)
    equal(db.child("rooms").child("tagged").conditional_remove(refused["ETag"]), None)
    equal(db.child("rooms").child("tagged").get().val(), None)


def follow(place):
    """Streams a place into a list of events."""
    events = Events()
    stream = place.stream(lambda event: events.add((event["event"], event["path"], event["data"])))
    return stream, events


def close(stream, wake):
    """Closes a stream, which its client notices at the next thing that it hears."""
    closing = threading.Thread(target=stream.close)
    closing.start()
    wait(lambda: not stream.sse.should_connect)
    wake()
    closing.join(60)
    equal(closing.is_alive(), False)


def streams():
    db.child("rooms").child("streamed").set({"topic": "tea"})
    stream, events = follow(db.child("rooms").child("streamed"))
    events.expect(("put", "/", {"topic": "tea"}))
    db.child("rooms").child("streamed").child("topic").set("coffee")
    db.child("rooms").child("streamed").update({"a": 1, "topic": None})
    name = db.child("rooms").child("streamed").child("messages").push("hi")["name"]
    db.child("rooms").child("streamed").remove()
    events.expect(
        ("put", "/topic", "coffee"),
        ("patch", "/", {"a": 1, "topic": None}),
        ("put", f"/messages/{name}", "hi"),
        ("put", "/", None),
    )
    events.expect_no_more()
    close(stream, lambda: db.child("rooms").child("streamed").set("awake"))


def streams_a_window():
    db.child("w").set({"a": 1, "b": 2, "c": 3})
    stream, events = follow(db.child("w").order_by_key().limit_to_last(2))
    events.expect(("put", "/", {"b": 2, "c": 3}))
    window = {"b": 2, "c": 3}
    db.child("w").child("d").set(4)
    db.child("w").child("c").remove()
    while window != {"b": 2, "d": 4}:
        kind, path, data = events.next()
        members = {path.strip("/"): data} if kind == "put" else data
        for key, value in members.items():
            if value is None:
                window.pop(key, None)
            else:
                window[key] = value
    close(stream, lambda: db.child("w").child("e").set(5))


run(
    sets_and_gets,
    pushes,
    updates,
    removes,
    orders_and_limits,
    reads_keys_alone,
    sets_and_removes_under_a_condition,
    streams,
    streams_a_window,
)
