"""The story of the image chat in a browser. Arguments: `hearth`, the browser, an empty folder."""
import pathlib
import re
import struct
import zlib

from checks import equal, wait
from chromium import PHONE, Chromium
from samples import SampleServer, Steps, arguments, finish

step = Steps()
program, browser_program, folder = arguments()
folder = pathlib.Path(folder)
server = SampleServer(program, folder, "image-chat", "image-chat")
server.start()
browser = Chromium(browser_program, folder)
ITEMS = "#messages li"
windows = {name: browser.window() for name in ["ann", "bob"]}
pages = {name: window.open(server.url + "/") for name, window in windows.items()}
pages["bob"].resize(PHONE)
ann, bob = pages["ann"], pages["bob"]


def picture(path, width=320, height=200):
    """A picture with a sky that grows light."""
    def chunk(kind, data):
        body = kind + data
        return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))
    rows = b"".join(
        b"\0" + b"".join(bytes((40 + y // 2, 30 + (x + y) // 4, 120 + y // 3)) for x in range(width))
        for y in range(height))
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows))
                     + chunk(b"IEND", b""))
    return path


def fill(page, form, **fields):
    for name, value in fields.items():
        page.type(f"#{form}-{name}", value)
    page.press("Enter")


def say(page, text):
    page.type("#text", text)
    page.press("Enter")
    page.wait("document.getElementById('submit').disabled", False)


def show(page, form):
    page.click(f"#entrance form:not([hidden]) [data-show={form}]")
    page.wait(f"document.getElementById('{form}').hidden", False)


def last(page, part=".body"):
    return f"document.querySelector('{ITEMS}:last-child {part}')?.innerText.trim() ?? null"


@step("1. registering takes a name, an e-mail address and a password, the last two required and all checked")
def registering():
    equal(ann.unnamed(), [])
    show(ann, "register")
    equal(ann.unnamed(), [])
    for email, password, words in [
            ("", "", "Please enter your e-mail address."), ("no address", "", "This is not an e-mail address."),
            ("ann@example.org", "", "Please enter a password."),
            ("ann@example.org", "short", "A password needs at least 6 characters.")]:
        fill(ann, "register", name="Ann", email=email, password=password)
        ann.wait_text("#register-error", words)
    ann.photograph(folder / "image-chat-register.png")
    fill(ann, "register", name="Ann", email="ann@example.org", password="password of ann")
    ann.wait_text("#who", "Ann")
    show(bob, "register")
    fill(bob, "register", name="Bob", email="ann@example.org", password="password of bob")
    bob.wait_text("#register-error", "There is an account with this address already.")
    fill(bob, "register", name="", email="bob@example.org", password="password of bob")
    bob.wait_text("#who", "bob@example.org")


@step("2. logging in, and staying logged in over a restart of client and server")
def staying():
    ann.click("#logout")
    ann.wait_text("#login-notice", "You have logged out.")
    fill(ann, "login", email="ann@example.org", password="wrong one")
    ann.wait_text("#login-error", "The address or the password is wrong.")
    ann.click("#stay")
    fill(ann, "login", email="ann@example.org", password="password of ann")
    ann.wait_text("#who", "Ann")
    ann.wait_text("#status", "connected")
    ann.close()
    server.kill()
    server.start()
    pages["ann"] = again = windows["ann"].open(server.url + "/")
    again.wait_text("#who", "Ann")
    again.wait_text("#status", "connected")


@step("3. a forgotten password: a mail with a code, a new password, the old one no longer works")
def forgotten():
    bob.click("#logout")
    bob.wait_text("#login-notice", "You have logged out.")
    show(bob, "forgotten")
    fill(bob, "forgotten", email="bob@example.org")
    bob.wait("document.getElementById('reset').hidden", False)
    outbox = server.data / "outbox"
    wait(lambda: outbox.exists() and list(outbox.glob("*.eml")))
    mail = next(outbox.glob("*.eml")).read_text().replace("=\n", "").replace("=3D", "=")
    code = re.search(r"oobCode=([A-Za-z0-9_-]+)", mail).group(1)
    fill(bob, "reset", code="", password="a new password")
    bob.wait_text("#reset-error", "Please enter the code.")
    fill(bob, "reset", code="x" * 43, password="a new password")
    bob.wait_text("#reset-error", "This code is not right, or it has been used already.")
    fill(bob, "reset", code=f"{server.url}/emulator/action?mode=resetPassword&oobCode={code}&apiKey=a",
         password="a new password")
    bob.wait_text("#login-notice", "Your password has been changed. Log in with the new one.")
    fill(bob, "login", email="bob@example.org", password="password of bob")
    bob.wait_text("#login-error", "The address or the password is wrong.")
    fill(bob, "login", email="bob@example.org", password="a new password")
    bob.wait_text("#who", "bob@example.org")
    bob.wait_text("#status", "connected")


@step("4. every message published to MyChannel reaches every listener, trimmed, under a true name and the server's time")
def publishing():
    say(pages["ann"], "  hello from Ann  ")
    say(bob, "hello from Bob")
    for page in pages.values():
        page.wait(page.texts(ITEMS + " .body"), ["hello from Ann", "hello from Bob"])
        for text in page.ask(page.texts(ITEMS + " time")):
            if not re.fullmatch(r"[0-9]{2}:[0-9]{2}:[0-9]{2} / [A-Z][a-z]{2} [0-9]{1,2}, [0-9]{4}", text):
                raise AssertionError(text)
    pages["ann"].wait_text(ITEMS + ":last-child .name", "bob@example.org")
    bob.wait_text(ITEMS + ":first-child .name", "Ann")
    say(pages["ann"], "   ")
    pages["ann"].wait_text("#send-error", "A message needs some text or an image.")


@step("5. own and others' messages can be told apart, and nobody sends in another's name")
def telling_apart():
    page = pages["ann"]
    equal(page.ask(page.texts(ITEMS + ".own .body")), ["hello from Ann"])
    equal(page.ask(page.texts(ITEMS + ":not(.own) .body")), ["hello from Bob"])
    colors = page.ask(
        f"['.own', ':not(.own)'].map((s) => getComputedStyle(document.querySelector('{ITEMS}' + s)).backgroundColor)")
    equal(colors[0] != colors[1], True)
    equal(page.ask(f"document.querySelectorAll('{ITEMS}:not(.own) .actions').length"), 0)


@step("6. own messages are edited and deleted, others see it at once, and nobody else's can be touched")
def editing():
    page = pages["ann"]
    say(page, "a mistake")
    bob.wait(last(bob), "a mistake")
    page.wait(last(page), "a mistake")
    page.click(f"{ITEMS}:last-child .actions button:first-child")
    equal(page.ask("document.activeElement.getAttribute('aria-label')"), "Message")
    page.type(f"{ITEMS}:last-child textarea", "")
    page.press("Enter")
    page.wait_text(f"{ITEMS}:last-child .error", "A message needs some text.")
    page.type(f"{ITEMS}:last-child textarea", "mended")
    page.press("Enter")
    for one in pages.values():
        one.wait(last(one), "mended")
        equal(one.ask(last(one, "time")).endswith(" · edited"), True)
    page.click(f"{ITEMS}:last-child .actions button:last-child")
    for one in pages.values():
        one.wait(f"document.querySelectorAll('{ITEMS}').length", 2)


@step("7. an image is stored by the server, bounded in size and type, read by members only, shown in the list")
def images():
    page = pages["ann"]
    large = folder / "large.png"
    large.write_bytes(picture(folder / "sky.png").read_bytes() + bytes(5 * 1024 * 1024))
    (folder / "page.html").write_text("<script>alert(1)</script>")
    (folder / "fake.png").write_text("<script>alert(1)</script>")
    page.choose("#image", large)
    page.wait_text("#send-error", "The image is too large: it may have 5 MB.")
    page.choose("#image", folder / "page.html")
    page.wait_text("#send-error", "Only PNG, JPEG, GIF and WebP images can be sent.")
    page.choose("#image", folder / "fake.png")
    page.click("#submit")
    page.wait_text("#send-error", "Not sent. This is not an image that can be sent.")
    page.choose("#image", folder / "sky.png")
    page.wait_text("#chosen-name", "sky.png")
    say(page, "the sky this morning")
    for one in pages.values():
        one.wait(last(one), "the sky this morning")
        one.wait(f"document.querySelector('{ITEMS}:last-child img')?.naturalWidth", 320)
        equal(one.ask(f"document.querySelector('{ITEMS}:last-child img').alt"), "Image from Ann")
    path = page.ask("performance.getEntriesByType('resource').map((e) => e.name).findLast((n) => n.includes('/.files/'))")
    equal(page.ask(f"fetch({path.split('?')[0]!r}).then((a) => a.status)"), 401)
    equal(page.ask(f"fetch({path!r}).then((a) => a.status)"), 200)


@step("8. logging out: the listener ends, and the session is revoked")
def logging_out():
    kept = bob.ask("sessionStorage['image-chat-session']")
    bob.click("#logout")
    bob.wait_text("#login-notice", "You have logged out.")
    equal(bob.ask(f"document.querySelectorAll('{ITEMS}').length"), 0)
    equal(bob.ask("Object.keys(sessionStorage).length + Object.keys(localStorage).length"), 0)
    say(pages["ann"], "is Bob gone?")
    status = bob.ask(
        f"fetch('/channels/MyChannel/messages.json?orderBy=\"$key\"&limitToLast=9&auth=' + JSON.parse({kept!r}).idToken)"
        ".then((a) => a.status)")
    equal(status, 401)
    code = bob.ask(
        f"fetch('/v1/token?key=a', {{method: 'POST', body: JSON.stringify({{grant_type: 'refresh_token',"
        f" refresh_token: JSON.parse({kept!r}).refreshToken}})}}).then((a) => a.json()).then((a) => a.error.message)")
    equal(code.split(" ")[0], "TOKEN_EXPIRED")
    fill(bob, "login", email="bob@example.org", password="a new password")
    bob.wait(last(bob), "is Bob gone?")


@step("what is sent is text, never a part of the page")
def markup():
    for text in ["<img src=x onerror=alert(1)>", "<script>alert(1)</script>"]:
        say(bob, text)
        pages["ann"].wait(last(pages["ann"]), text)
    equal(pages["ann"].ask(f"document.querySelectorAll('{ITEMS} img:not(.picture), {ITEMS} script').length"), 0)
    for page in pages.values():
        page.wait(f"[...document.querySelectorAll('{ITEMS} .own')].length", 0)


@step("the page can be looked at, by day and by night, at a desk and on a phone")
def photographs():
    say(bob, "What a sky! Where was that?")
    say(pages["ann"], "From the hill behind the mill.")
    bob.wait(last(bob), "From the hill behind the mill.")
    pages["ann"].is_dark(False)
    pages["ann"].ask("document.querySelector('#messages img').scrollIntoView({block: 'center'})")
    pages["ann"].photograph(folder / "image-chat-desk.png")
    bob.is_dark(True)
    bob.photograph(folder / "image-chat-phone-dark.png")
    for page in pages.values():
        equal(page.unnamed(), [])
        equal(page.ask("document.documentElement.scrollWidth <= innerWidth"), True)
        equal(page.complaints, [])


failed = step.play()
browser.close()
server.kill()
finish(failed)
