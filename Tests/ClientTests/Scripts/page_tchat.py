"""The story of TChat in a browser. Arguments: `hearth`, the browser, an empty folder."""
import pathlib

from checks import equal
from chromium import PHONE, Chromium
from samples import SampleServer, Steps, arguments, finish

step = Steps()
program, browser_program, folder = arguments()
folder = pathlib.Path(folder)
server = SampleServer(program, folder, "tchat", "private-chat")
server.start()
browser = Chromium(browser_program, folder)
ITEMS = "#messages li"
PASSWORD = "a fireplace in the lobby"
pages = {name: browser.window().open(server.url + "/") for name in ["Ann", "Bob", "Eve"]}
pages["Bob"].resize(PHONE)


def bodies(page):
    return page.texts(ITEMS + " .body")


def fill(page, name, password):
    page.type("#name", name)
    page.type("#password", password)


def say(name, text):
    pages[name].type("#text", text)
    pages[name].press("Enter")


def go_to(name, other):
    """Chooses whom to talk to, by the words on the button."""
    page = pages[name]
    page.wait(f"{page.texts('#people button')}.includes('{other}')")
    number = page.ask(f"{page.texts('#people button')}.indexOf('{other}')") + 1
    page.click(f"#people button:nth-child({number})")
    page.wait_text("#people button[aria-pressed=true]", other)


@step("1. three users register with a name and a password")
def registering():
    page = pages["Ann"]
    equal(page.unnamed(), [])
    for name, password, words in [
            ("", "", "Please enter a name."), ("a", "x", "A name has 2 to 20 letters, digits, dashes or underscores."),
            ("<b>Ann</b>", "x", "A name has 2 to 20 letters, digits, dashes or underscores."),
            ("Ann", "", "Please enter a password."), ("Ann", "short", "A password needs at least 6 characters."),
            ("Ann", "abcdef", "This password is easy to guess. Please choose another one.")]:
        fill(page, name, password)
        page.click("#register")
        page.wait_text("#enter-error", words)
    for name, page in pages.items():
        fill(page, name, PASSWORD)
        page.click("#register")
        page.wait_text("#who", name)
        page.wait_text("#status", "connected")


@step("2. a taken name is refused, in whatever case")
def taken():
    page = browser.window().open(server.url + "/")
    for name in ["Ann", "ANN"]:
        fill(page, name, "another password")
        page.click("#register")
        page.wait_text("#enter-error", "That name is taken.")
    page.close()


@step("3. a wrong password is refused, and no more is told than for a name that nobody has")
def wrong():
    page = browser.window().open(server.url + "/")
    for name in ["Ann", "Nobody"]:
        fill(page, name, "not the password")
        page.press("Enter")
        page.wait_text("#enter-error", "The name or the password is wrong.")
    page.photograph(folder / "tchat-entrance.png")
    fill(page, "Ann", PASSWORD)
    page.press("Enter")
    page.wait_text("#who", "Ann")
    page.click("#logout")
    page.wait("document.getElementById('entrance').hidden", False)
    page.close()


@step("4. what is said to all is seen by all")
def everyone():
    for name in pages:
        say(name, f"hello from {name}")
        for page in pages.values():
            page.wait_text(ITEMS + ":last-child .body", f"hello from {name}")
    equal(pages["Bob"].ask(pages["Bob"].texts(ITEMS + " .name")), ["Ann:", "Eve:"])
    equal(pages["Bob"].ask(pages["Bob"].texts(ITEMS + ".own .body")), ["hello from Bob"])


@step("5. two go private, and the third sees none of it")
def going_private():
    go_to("Ann", "Bob")
    go_to("Bob", "Ann")
    for name in ["Ann", "Bob"]:
        pages[name].wait(f"document.querySelectorAll('{ITEMS}').length", 0)
    say("Ann", "only for you")
    pages["Bob"].wait(bodies(pages["Bob"]), ["only for you"])
    say("Bob", "I see")
    pages["Ann"].wait(bodies(pages["Ann"]), ["only for you", "I see"])
    say("Eve", "is anybody still here?")
    pages["Eve"].wait_text(ITEMS + ":last-child .body", "is anybody still here?")
    go_to("Eve", "Ann")
    pages["Eve"].wait_text("#status", "connected")
    pages["Eve"].wait("document.getElementById('empty').hidden", False)
    equal(pages["Eve"].ask("document.body.innerText.includes('only for you')"), False)
    pages["Ann"].photograph(folder / "tchat-private.png")


@step("6. back to all, everybody is there again")
def back():
    for name in pages:
        go_to(name, "Everyone")
    for page in pages.values():
        page.wait(f"{bodies(page)}.at(-1)", "is anybody still here?")
        equal(page.ask(f"{bodies(page)}.includes('only for you')"), False)
    say("Bob", "back again")
    for page in pages.values():
        page.wait_text(ITEMS + ":last-child .body", "back again")


@step("7. private messages are read by their two people alone, by no endpoint and no stream of others")
def privacy():
    page = pages["Eve"]
    pair = sorted(page.ask(
        "fetch(`/users.json?orderBy=\"$key\"&limitToFirst=9&auth=${JSON.parse(sessionStorage['tchat-session']).idToken}`)"
        ".then((a) => a.json()).then((u) => Object.keys(u).filter((k) => u[k].name !== 'Eve'))"))
    for query in ["", "&orderBy=\"$key\"&limitToLast=1000", "&shallow=true", "&feed=longpoll&timeout=0s"]:
        status = page.ask(
            f"fetch(`/conversations/{pair[0]}/{pair[1]}/messages.json?auth="
            f"${{JSON.parse(sessionStorage['tchat-session']).idToken}}{query}`).then((a) => a.status)")
        equal((query, status), (query, 401))


@step("8. nobody speaks in another's name or changes what was said")
def names():
    page = pages["Eve"]
    status = page.ask(
        "fetch(`/rooms/lobby/messages.json?auth=${JSON.parse(sessionStorage['tchat-session']).idToken}`, {method: 'POST',"
        " body: JSON.stringify({from: document.querySelector('#people [data-uid]').dataset.uid, text: 'x',"
        " time: {'.sv': 'timestamp'}})}).then((a) => a.status)")
    equal(status, 401)


@step("9. a tab that is loaded again goes on, also over a restart of the server")
def again():
    page = pages["Ann"]
    page.go(server.url + "/")
    page.wait_text("#who", "Ann")
    page.wait_text(ITEMS + ":last-child .body", "back again")
    server.kill()
    page.wait_text("#status", "connecting …")
    server.start()
    page.wait_text("#status", "connected")
    say("Ann", "here I am again")
    for other in pages.values():
        other.wait_text(ITEMS + ":last-child .body", "here I am again")
        count = other.ask(f"document.querySelectorAll('{ITEMS}').length")
        equal(count, 6)


@step("what is sent is text, never a part of the page")
def markup():
    for text in ["<img src=x onerror=alert(1)>", "<script>alert(1)</script>"]:
        say("Eve", text)
        pages["Ann"].wait_text(ITEMS + ":last-child .body", text)
    equal(pages["Ann"].ask(f"document.querySelectorAll('{ITEMS} img, {ITEMS} script').length"), 0)


@step("the page can be looked at, by day and by night, at a desk and on a phone")
def photographs():
    say("Eve", "Shall we meet at the fire tonight?")
    # The server gives the messages their order: an answer comes after what it answers was seen.
    pages["Bob"].wait_text(ITEMS + ":last-child .body", "Shall we meet at the fire tonight?")
    say("Bob", "Yes. I bring the marshmallows.")
    pages["Ann"].wait_text(ITEMS + ":last-child .body", "Yes. I bring the marshmallows.")
    pages["Ann"].is_dark(True)
    pages["Ann"].photograph(folder / "tchat-desk-dark.png")
    pages["Bob"].is_dark(False)
    pages["Bob"].photograph(folder / "tchat-phone.png")
    for page in pages.values():
        equal(page.unnamed(), [])
        equal(page.ask("document.documentElement.scrollWidth <= innerWidth"), True)
        equal(page.complaints, [])


failed = step.play()
browser.close()
server.kill()
finish(failed)
