"""Google's Python client for administrators, as its documentation shows it. Argument: the server's address."""
import sys
import threading

import firebase_admin
import requests
from firebase_admin import db, exceptions

from checks import Events, equal, fails, run, wait

server = sys.argv[1]
firebase_admin.initialize_app(options={"databaseURL": f"{server}/?ns=chat"})

MESSAGES = {
    "m1": {"username": "ann", "message": "hi", "rank": 3},
    "m2": {"username": "bob", "message": "hello", "rank": 1},
    "m3": {"username": "cas", "message": "hey", "rank": 2},
    "m4": {"username": "bob", "message": "bye", "rank": "late"},
    "m5": {"username": "dan", "message": "good night"},
}


def at(name):
    """An empty place for one check."""
    place = db.reference(f"/rooms/{name}")
    place.delete()
    return place


def sets_and_reads_values():
    room = at("values")
    equal(room.get(), None)
    numbers = [0, -7, 1.5, 9007199254740993]
    texts = ["", "tea \u2615 \"quoted\" \\ \n"]
    for value in [True, False, *numbers, *texts, {"a": {"b": 1}}, ["x", "y"]]:
        room.set(value)
        equal(room.get(), value)
    room.set({"empty": {}, "none": None, "topic": "tea"})
    equal(room.get(), {"topic": "tea"})
    equal(room.child("topic").get(), "tea")
    equal(db.reference("/rooms/values/topic").key, "topic")
    fails(exceptions.InvalidArgumentError, "Invalid", lambda: room.set({"a.b": 1}))
    equal(room.get(), {"topic": "tea"})


def keeps_databases_apart():
    room = at("apart")
    room.set(1)
    other = db.reference("/rooms/apart", url=f"{server}/?ns=other")
    equal(other.get(), None)
    other.set(2)
    equal(room.get(), 1)


def pushes_children_in_order():
    messages = at("pushes")
    keys = [messages.push({"message": f"number {number}"}).key for number in range(20)]
    equal(keys, sorted(keys))
    equal([len(key) for key in keys], [20] * 20)
    equal(list(messages.get()), keys)
    equal(messages.push().get(), "")
    equal(messages.child(keys[7]).get(), {"message": "number 7"})


def updates_several_places_at_once():
    room = at("updates")
    room.set({"topic": "tea", "members": {"ann": True, "bob": True}})
    members = {"members/cas": True, "members/ann": None}
    room.update({"topic": "coffee", **members, "count": {".sv": {"increment": 2}}})
    room.update({"count": {".sv": {"increment": 3}}})
    equal(room.get(), {"topic": "coffee", "members": {"bob": True, "cas": True}, "count": 5})
    fails(exceptions.InvalidArgumentError, "", lambda: room.update({"topic": "x", "bad#key": 1}))
    equal(room.child("topic").get(), "coffee")


def deletes():
    room = at("deletes")
    room.set({"topic": "tea", "old": {"deep": 1}})
    room.child("old/deep").delete()
    equal(room.get(), {"topic": "tea"})
    room.delete()
    room.delete()
    equal(room.get(), None)


def transactions_lose_no_step_under_contention():
    counter = at("counter")
    counter.set(0)
    failures = []

    def count():
        try:
            for _ in range(5):
                counter.transaction(lambda current: (current or 0) + 1)
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=count) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    equal(failures, [])
    equal(counter.get(), 20)


def a_transaction_sees_a_write_in_between():
    room = at("between")
    room.set({"votes": 1})
    seen = []

    def vote(current):
        seen.append(current)
        if len(seen) == 1:
            room.set({"votes": 10})
        return {"votes": current["votes"] + 1}

    equal(room.transaction(vote), {"votes": 11})
    equal(seen, [{"votes": 1}, {"votes": 10}])
    equal(room.get(), {"votes": 11})
    fresh = at("between-fresh")
    equal(fresh.transaction(lambda current: "made" if current is None else "found"), "made")


def a_transaction_can_be_given_up():
    room = at("given-up")
    room.set(1)

    def stop(current):
        raise KeyError("no more")

    fails(KeyError, "no more", lambda: room.transaction(stop))
    equal(room.get(), 1)


def rules_with_indexes_are_stored():
    rules = """{
      // kept as written
      "rules": {".read": true, ".write": true,
        "rooms": {"$room": {"messages": {".indexOn": ["rank", "username", "deep/rank"]},
                            "scores": {".indexOn": ".value"}}}}
    }"""
    owner = {"Authorization": "Bearer owner"}
    answer = requests.put(f"{server}/.settings/rules.json?ns=chat", data=rules, headers=owner)
    equal((answer.status_code, answer.json()), (200, {"status": "ok"}))
    equal(requests.get(f"{server}/.settings/rules.json?ns=chat", headers=owner).text, rules)
    equal(requests.get(f"{server}/.settings/rules.json?ns=chat").status_code, 401)


def queries_by_child():
    messages = at("queried/messages")
    messages.set(MESSAGES)
    by_rank = messages.order_by_child("rank")
    equal(list(by_rank.get()), ["m5", "m2", "m3", "m1", "m4"])
    equal(list(by_rank.get().values())[1], MESSAGES["m2"])
    equal(list(messages.order_by_child("rank").limit_to_first(2).get()), ["m5", "m2"])
    equal(list(messages.order_by_child("rank").limit_to_last(2).get()), ["m1", "m4"])
    equal(list(messages.order_by_child("rank").start_at(2).get()), ["m3", "m1", "m4"])
    equal(list(messages.order_by_child("rank").start_at(2).end_at(3).get()), ["m3", "m1"])
    equal(list(messages.order_by_child("rank").start_at(1).end_at(3).limit_to_last(1).get()), ["m1"])
    equal(list(messages.order_by_child("rank").equal_to("late").get()), ["m4"])
    equal(list(messages.order_by_child("username").equal_to("bob").get()), ["m2", "m4"])
    equal(list(messages.order_by_child("username").start_at("c").get()), ["m3", "m5"])
    equal(messages.order_by_child("rank").equal_to(99).get(), {})


def queries_by_a_deep_child():
    messages = at("deep/messages")
    messages.set({"a": {"deep": {"rank": 2}}, "b": {"deep": {"rank": 1}}, "c": {"deep": 5}})
    equal(list(messages.order_by_child("deep/rank").get()), ["c", "b", "a"])
    equal(list(messages.order_by_child("deep/rank").start_at(1).limit_to_first(1).get()), ["b"])


def queries_by_key():
    room = at("keys")
    room.set({"b": 1, "a": 2, "10": 3, "9": 4, "c": 5})
    equal(list(room.order_by_key().limit_to_first(2).get()), ["10", "9"])
    equal(set(room.order_by_key().limit_to_first(2).get()), {"9", "10"})
    equal(set(room.order_by_key().limit_to_last(2).get()), {"b", "c"})
    equal(set(room.order_by_key().start_at("a").end_at("b").get()), {"a", "b"})
    equal(set(room.order_by_key().equal_to("9").get()), {"9"})
    room.set(["zero", "one", "two"])
    equal(list(room.order_by_key().start_at("1").get().values()), ["one", "two"])


def queries_by_value():
    scores = at("valued/scores")
    scores.set({"ann": 30, "bob": 10, "cas": "high", "dan": True, "eve": 20})
    equal(list(scores.order_by_value().get()), ["dan", "bob", "eve", "ann", "cas"])
    equal(list(scores.order_by_value().limit_to_last(2).get()), ["ann", "cas"])
    equal(list(scores.order_by_value().start_at(10).end_at(20).get()), ["bob", "eve"])
    equal(list(scores.order_by_value().equal_to(True).get()), ["dan"])


def a_query_without_index_is_refused_with_the_line_to_add():
    place = at("unindexed")
    place.set(MESSAGES)
    text = 'Index not defined, add ".indexOn": "rank", for path "/rooms/unindexed", to the rules'
    fails(exceptions.InvalidArgumentError, text, lambda: place.order_by_child("rank").get())


def shallow_reads_tell_keys_alone():
    room = at("shallow")
    room.set({"topic": "tea", "members": {"ann": True}})
    equal(room.get(shallow=True), {"topic": True, "members": True})
    equal(room.child("topic").get(shallow=True), "tea")
    equal(room.child("nothing").get(shallow=True), None)


def etags_tell_whether_a_value_is_the_same():
    room = at("tags")
    equal(room.get(etag=True), (None, "null_etag"))
    room.set({"topic": "tea"})
    value, tag = room.get(etag=True)
    equal(value, {"topic": "tea"})
    equal(room.get_if_changed(tag), (False, None, None))
    room.child("topic").set("coffee")
    changed, value, newer = room.get_if_changed(tag)
    equal((changed, value), (True, {"topic": "coffee"}))
    room.child("topic").set("tea")
    equal(room.get(etag=True), ({"topic": "tea"}, tag))
    equal(newer == tag, False)


def set_if_unchanged_sets_or_tells_what_is_there():
    room = at("conditional")
    equal(room.set_if_unchanged("null_etag", {"topic": "tea"})[0:2], (True, {"topic": "tea"}))
    value, tag = room.get(etag=True)
    done, value, newer = room.set_if_unchanged(tag, {"topic": "coffee"})
    equal((done, value), (True, {"topic": "coffee"}))
    equal(room.get(etag=True), ({"topic": "coffee"}, newer))
    equal(room.set_if_unchanged(tag, {"topic": "milk"}), (False, {"topic": "coffee"}, newer))
    equal(room.get(), {"topic": "coffee"})


def listens_to_puts_and_patches():
    room = at("listened")
    room.set({"topic": "tea"})
    events = Events()
    listener = room.listen(lambda event: events.add((event.event_type, event.path, event.data)))
    events.expect(("put", "/", {"topic": "tea"}))
    room.child("topic").set("coffee")
    room.update({"count": 1, "topic": None})
    key = room.child("messages").push({"message": "hi"}).key
    room.child("messages").update({f"{key}/message": "bye"})
    at("elsewhere").set(1)
    room.child("messages").delete()
    db.reference("/rooms").update({"listened/topic": "back"})
    room.delete()
    events.expect(
        ("put", "/topic", "coffee"),
        ("patch", "/", {"count": 1, "topic": None}),
        ("put", f"/messages/{key}", {"message": "hi"}),
        ("patch", "/messages", {f"{key}/message": "bye"}),
        ("put", "/messages", None),
    )
    event = events.next()
    equal(event in [("patch", "/", {"topic": "back"}), ("put", "/topic", "back")], True)
    events.expect(("put", "/", None))
    events.expect_no_more()
    # The client notices that it was closed at the next thing it hears.
    closing = threading.Thread(target=listener.close)
    closing.start()
    wait(lambda: not listener._sse.should_connect)
    room.set("awake")
    closing.join(60)
    equal(closing.is_alive(), False)


run(
    sets_and_reads_values,
    keeps_databases_apart,
    pushes_children_in_order,
    updates_several_places_at_once,
    deletes,
    transactions_lose_no_step_under_contention,
    a_transaction_sees_a_write_in_between,
    a_transaction_can_be_given_up,
    rules_with_indexes_are_stored,
    queries_by_child,
    queries_by_a_deep_child,
    queries_by_key,
    queries_by_value,
    a_query_without_index_is_refused_with_the_line_to_add,
    shallow_reads_tell_keys_alone,
    etags_tell_whether_a_value_is_the_same,
    set_if_unchanged_sets_or_tells_what_is_there,
    listens_to_puts_and_patches,
)
