"""The story of fire3chat in a browser. Arguments: `hearth`, the browser, an empty folder."""
import pathlib

from checks import equal
from chromium import DESK, PHONE, Chromium
from samples import SampleServer, Steps, arguments, finish

step = Steps()
program, browser_program, folder = arguments()
folder = pathlib.Path(folder)
server = SampleServer(program, folder, "fire3chat", "fire3chat")
server.start()
browser = Chromium(browser_program, folder)
ITEMS = "#messages li"

ann = browser.window().open(server.url + "/")
bob = browser.window().open(server.url + "/", PHONE)


def bodies(page):
    return page.texts(ITEMS + " .body")


def say(page, text):
    page.type("#text", text)
    page.press("Enter")


@step("1. a name enters, and leaves its device token if there is one")
def enter():
    equal(ann.unnamed(), [])
    ann.focus("#name")
    ann.press("Enter")
    ann.wait_text("#enter-error", "Please enter a name.")
    equal(ann.ask("document.activeElement.id"), "name")
    ann.photograph(folder / "fire3chat-entrance.png")
    ann.type("#name", "ann")
    ann.click("summary")
    ann.type("#token", "token-of-ann")
    ann.press("Enter")
    ann.wait_text("#status", "connected")
    equal(ann.is_shown("#entrance"), False)
    bob.type("#name", "bob")
    bob.click("#enter button[type=submit]")
    bob.wait_text("#status", "connected")
    equal(server.ask("GET", "/tokens", headers=server.admin).json(), {"ann": "token-of-ann"})


@step("2. the list tells the old messages first, then each new one, in key order")
def listing():
    equal(ann.is_shown("#empty"), True)
    for text in ["first", "second"]:
        say(ann, text)
    bob.wait(bodies(bob), ["first", "second"])
    late = browser.window().open(server.url + "/")
    late.type("#name", "late")
    late.press("Enter")
    late.wait(bodies(late), ["first", "second"])
    say(bob, "third")
    for page in [ann, bob, late]:
        page.wait(bodies(page), ["first", "second", "third"])
        keys = page.ask("[...document.querySelectorAll('#messages li')].map((e) => e.dataset.key)")
        equal(keys, sorted(keys))
    late.close()


@step("3. a text that is not empty is sent by an update with a push ID")
def sending():
    ann.type("#text", "   ")
    ann.press("Enter")
    ann.wait_text("#send-error", "A message needs some text.")
    say(ann, "Hello 🔥 <b>all</b>")
    ann.wait("document.getElementById('text').value", "")
    ann.wait_text("#send-error", "")
    bob.wait_text(ITEMS + ":last-child .body", "Hello 🔥 <b>all</b>")
    say(ann, "m" * 2000)
    bob.wait(f"document.querySelectorAll('{ITEMS}').length", 5)


@step("4. every message says who has sent it, so that own ones can be shown without a name")
def names():
    ann.wait(f"document.querySelectorAll('{ITEMS}').length", 5)
    equal(ann.ask(ann.texts(ITEMS + ".own .name")), [])
    equal(ann.ask(ann.texts(ITEMS + ":not(.own) .name")), ["bob:"])
    equal(set(bob.ask(bob.texts(ITEMS + " .name"))), {"ann:"})
    equal(bob.ask(bob.texts(ITEMS + ".own .body")), ["third"])


@step("5. a web page and a phone share the database and talk to each other")
def sharing():
    key = "-NsXSKGSFjw70wWSNwwm"
    value = {"username": "phone", "message": "I am a phone", "time": "2024/03/09, 9:04:58"}
    equal(server.ask("PATCH", "/messages", {key: value}).status_code, 200)
    # An old key: the message takes its place in the order.
    for page in [ann, bob]:
        page.wait_text(ITEMS + ":first-child", "phone:\nI am a phone\n2024/03/09, 9:04:58")
    # The server is gone for a while: what was not sent is not lost, and nothing comes twice.
    server.kill()
    say(ann, "while it was away")
    ann.wait_text("#send-error", "Not sent. The server cannot be reached.")
    equal(ann.ask("document.getElementById('text').value"), "while it was away")
    server.start()
    ann.wait_text("#status", "connected")
    bob.wait_text("#status", "connected")
    ann.press("Enter")
    for page in [ann, bob]:
        page.wait_text(ITEMS + ":last-child .body", "while it was away")
        equal(page.ask(f"document.querySelectorAll('{ITEMS}').length"), 7)


@step("6. tokens are kept for notifications to one or to all, and only the administrator reads them")
def tokens():
    equal(bob.ask("fetch('/tokens.json').then((a) => a.status)"), 401)
    equal(server.ask("GET", "/tokens/ann", headers=server.admin).json(), "token-of-ann")


@step("what is sent is text, never a part of the page")
def markup():
    for text in ["<img src=x onerror=alert(1)>", "<script>alert(1)</script>", "javascript:alert(1)"]:
        say(bob, text)
        ann.wait_text(ITEMS + ":last-child .body", text)
    equal(ann.ask(f"document.querySelectorAll('{ITEMS} img, {ITEMS} script, {ITEMS} a').length"), 0)


@step("the page can be looked at, by day and by night, at a desk and on a phone")
def photographs():
    for page in [ann, bob]:
        page.is_dark(False)
        equal(page.unnamed(), [])
        equal(page.ask("document.documentElement.scrollWidth <= innerWidth"), True)
    say(bob, "Good evening. The fire is still warm.")
    say(ann, "Come and sit with us, Bob!")
    bob.wait_text(ITEMS + ":last-child .body", "Come and sit with us, Bob!")
    ann.photograph(folder / "fire3chat-desk.png")
    bob.is_dark(True)
    bob.photograph(folder / "fire3chat-phone-dark.png")
    for page in [ann, bob]:
        equal(page.complaints, [])


failed = step.play()
browser.close()
server.kill()
finish(failed)
