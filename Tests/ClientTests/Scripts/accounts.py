"""Google's Python client for administrators of accounts, first against an emulator, then with signed tokens against
a server in production form. Arguments: the emulator's address, the program, a folder."""
import json
import os
import subprocess
import sys

import firebase_admin
import jwt
import requests
from firebase_admin import auth, credentials

from checks import equal, fails, run
from serving import Server

emulator, program, folder = sys.argv[1:]
os.environ["FIREBASE_AUTH_EMULATOR_HOST"] = emulator.removeprefix("http://")
firebase_admin.initialize_app(options={"projectId": "fire3chat"})


def post(server, call, body, status=200):
    """Makes a call as an app does."""
    answer = requests.post(f"{server}/v1/{call}?key=any", json=body)
    equal(answer.status_code, status)
    return answer.json()


def makes_and_finds_users():
    user = auth.create_user(
        uid="ann", email="Ann@chat.example", password="geheimes wort", display_name="Ann", email_verified=True)
    equal((user.uid, user.email, user.email_verified), ("ann", "ann@chat.example", True))
    equal(auth.get_user("ann").display_name, "Ann")
    equal(auth.get_user_by_email("ANN@chat.example").uid, "ann")
    fails(auth.UserNotFoundError, "nobody", lambda: auth.get_user("nobody"))
    fails(auth.UidAlreadyExistsError, "", lambda: auth.create_user(uid="ann"))
    fails(auth.EmailAlreadyExistsError, "", lambda: auth.create_user(email="ann@chat.example"))
    found = auth.get_users([auth.UidIdentifier("ann"), auth.EmailIdentifier("x@chat.example")])
    equal(([user.uid for user in found.users], len(found.not_found)), (["ann"], 1))


def changes_users():
    auth.update_user("ann", display_name=auth.DELETE_ATTRIBUTE, disabled=True)
    user = auth.get_user("ann")
    equal((user.display_name, user.disabled), (None, True))
    auth.update_user("ann", disabled=False, password="neues wort", email="ann@new.example")
    auth.set_custom_user_claims("ann", {"role": "admin"})
    equal(auth.get_user("ann").custom_claims, {"role": "admin"})


def verifies_and_revokes_tokens():
    signed = post(emulator, "accounts:signInWithPassword", {"email": "ann@new.example", "password": "neues wort"})
    claims = auth.verify_id_token(signed["idToken"], check_revoked=True)
    equal((claims["uid"], claims["role"]), ("ann", "admin"))
    cookie = auth.create_session_cookie(signed["idToken"], expires_in=3600)
    equal(auth.verify_session_cookie(cookie)["uid"], "ann")
    auth.update_user("ann", valid_since=claims["iat"] + 1)
    fails(auth.RevokedIdTokenError, "", lambda: auth.verify_id_token(signed["idToken"], check_revoked=True))


def makes_custom_tokens_and_links():
    token = auth.create_custom_token("bob", {"level": 3}).decode()
    claims = auth.verify_id_token(post(emulator, "accounts:signInWithCustomToken", {"token": token})["idToken"])
    equal((claims["uid"], claims["level"]), ("bob", 3))
    for mode, link in [
        ("resetPassword", auth.generate_password_reset_link("ann@new.example")),
        ("verifyEmail", auth.generate_email_verification_link("ann@new.example")),
        ("signIn", auth.generate_sign_in_with_email_link(
            "cas@chat.example", auth.ActionCodeSettings("http://localhost/"))),
    ]:
        equal(f"mode={mode}&" in link and "oobCode=" in link, True)


def imports_lists_and_removes_users():
    names = [f"user{number:02}" for number in range(30)]
    result = auth.import_users([auth.ImportUserRecord(uid=name, email=f"{name}@x.example") for name in names])
    equal((result.success_count, result.errors), (30, []))
    equal([user.uid for user in auth.list_users(max_results=7).iterate_all()], ["ann", "bob", *names])
    equal(auth.delete_users([*names, "nobody"]).success_count, 31)
    auth.delete_user("ann")
    fails(auth.UserNotFoundError, "", lambda: auth.delete_user("ann"))


def signs_tokens_offline_that_a_server_in_production_form_takes():
    del os.environ["FIREBASE_AUTH_EMULATOR_HOST"]
    server = Server(program, f"{folder}/data", "--project", "fire3chat", emulator=False)
    server.start()
    try:
        file = f"{folder}/service-account.json"
        subprocess.run(
            [program, "users", "service-account", "back@chat.example", "--output", file,
             "--url", server.url, "--admin-from", f"{folder}/data"], check=True, stderr=subprocess.DEVNULL)
        app = firebase_admin.initialize_app(credentials.Certificate(file), name="production")
        token = auth.create_custom_token("ann", {"role": "admin"}, app=app).decode()
        signed = post(server.url, "accounts:signInWithCustomToken", {"token": token})
        keys = jwt.PyJWKClient(f"{server.url}/.well-known/jwks.json")
        claims = jwt.decode(
            signed["idToken"], keys.get_signing_key_from_jwt(signed["idToken"]).key, algorithms=["RS256"],
            audience="fire3chat", issuer="https://securetoken.google.com/fire3chat", leeway=30)
        equal((claims["sub"], claims["role"], claims["exp"] - claims["iat"]), ("ann", "admin", 3600))
        unsigned = json.dumps({"uid": "ann"})
        refused = post(server.url, "accounts:signInWithCustomToken", {"token": unsigned}, 400)
        equal(refused["error"]["message"].startswith("INVALID_CUSTOM_TOKEN : "), True)
    finally:
        server.kill()


run(
    makes_and_finds_users,
    changes_users,
    verifies_and_revokes_tokens,
    makes_custom_tokens_and_links,
    imports_lists_and_removes_users,
    signs_tokens_offline_that_a_server_in_production_form_takes,
)
