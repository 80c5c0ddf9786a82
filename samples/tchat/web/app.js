// Global and private chat: everybody talks to all, or to one alone.

import { follow } from './follow.js';
import { logIn, logOut, register, renew, restore, session, token } from './session.js';

const $ = (id) => document.getElementById(id);
const list = $('messages');
const scroll = $('scroll');
/** Names by uid. */
const names = new Map();
/** Whom messages go to: a uid, or null for everyone. */
let addressee = null;
let stopPeople = () => {};
let stopMessages = () => {};

/** Asks the database; throws words for people. */
async function ask(method, path, body) {
  const address = `${path}.json?auth=${await token()}`;
  let answer;
  try {
    answer = await fetch(address, { method, body: body === undefined ? undefined : JSON.stringify(body) });
  } catch {
    throw new Error('The server cannot be reached.');
  }
  if (answer.ok) return answer.json();
  if (answer.status === 401) throw new Error('The server does not allow this.');
  const { error } = await answer.json().catch(() => ({ error: `It answered ${answer.status}.` }));
  throw new Error(error);
}

// MARK: Entering

$('enter').addEventListener('submit', (event) => {
  event.preventDefault();
  submit(logIn);
});
$('register').addEventListener('click', () => submit(register));

async function submit(method) {
  const name = $('name').value.trim();
  const password = $('password').value;
  if (!name) return complain('name', 'Please enter a name.');
  if (!/^[0-9A-Za-z_-]{2,20}$/.test(name)) {
    return complain('name', 'A name has 2 to 20 letters, digits, dashes or underscores.');
  }
  if (!password) return complain('password', 'Please enter a password.');
  complain(null, '');
  setBusy(true);
  try {
    await method(name, password);
    await enter();
  } catch (error) {
    complain('password', error.message);
  } finally {
    setBusy(false);
  }
}

function complain(field, text) {
  $('enter-error').textContent = text;
  for (const id of ['name', 'password']) $(id).setAttribute('aria-invalid', String(id === field));
  if (field) $(field).focus();
}

function setBusy(isBusy) {
  $('login').disabled = isBusy;
  $('register').disabled = isBusy;
}

async function enter() {
  const { uid, name } = session();
  const known = await ask('GET', `/users/${uid}/name`);
  if (known === null) await ask('PUT', `/users/${uid}`, { name });
  const shown = known ?? name;
  names.set(uid, shown);
  document.title = `TChat · ${shown}`;
  $('who').textContent = shown;
  $('password').value = '';
  $('entrance').hidden = true;
  $('room').hidden = false;
  followPeople();
  choose(null);
}

$('logout').addEventListener('click', () => leave(''));

async function leave(reason) {
  stopPeople();
  stopMessages();
  await logOut();
  names.clear();
  document.title = 'TChat';
  $('who').textContent = '';
  $('status').textContent = 'connecting …';
  $('status').removeAttribute('data-live');
  $('room').hidden = true;
  $('entrance').hidden = false;
  complain(null, reason);
  $('name').focus();
}

/** A stream was refused: with a new token, if there is one. */
async function refused() {
  if (!session()) return false;
  try {
    if (await renew()) return true;
  } catch {
    // Nobody can say so now: later, then.
    return true;
  }
  await leave('You have been logged out.');
  return false;
}

// MARK: People

function followPeople() {
  $('people').replaceChildren(personButton(null, 'Everyone'));
  stopPeople = follow(
    () => `/users.json?events=child_added&orderBy="$key"&limitToFirst=1000&auth=${session()?.idToken}`,
    {
      added: (uid, { name }) => {
        if (names.has(uid) && document.querySelector(`[data-uid="${CSS.escape(uid)}"]`)) return;
        names.set(uid, name);
        if (uid !== session()?.uid) $('people').append(personButton(uid, name));
        for (const label of list.querySelectorAll(`[data-from="${CSS.escape(uid)}"] .name`)) {
          label.textContent = `${name}:`;
        }
      },
      refused,
    });
}

function personButton(uid, name) {
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = name;
  if (uid !== null) button.dataset.uid = uid;
  button.setAttribute('aria-pressed', String(uid === addressee));
  button.addEventListener('click', () => choose(uid));
  return button;
}

// MARK: Conversations

/** Where the messages lie: a pair's under the two uids, the smaller one first. */
function place() {
  if (addressee === null) return '/rooms/lobby/messages';
  const pair = [session().uid, addressee].sort((a, b) => (a < b ? -1 : 1));
  return `/conversations/${pair[0]}/${pair[1]}/messages`;
}

function choose(uid) {
  addressee = uid;
  stopMessages();
  list.replaceChildren();
  $('empty').hidden = true;
  $('send-error').textContent = '';
  for (const button of $('people').children) {
    button.setAttribute('aria-pressed', String((button.dataset.uid ?? null) === uid));
  }
  $('subject').textContent = uid === null ? 'Everyone' : names.get(uid);
  const note = document.createElement('small');
  note.textContent = uid === null ? ' · all who are here read this' : ' · only the two of you read this';
  $('subject').append(note);
  const here = place();
  stopMessages = follow(
    () => `${here}.json?events=child_added&orderBy="$key"&limitToLast=1000&auth=${session()?.idToken}`,
    {
      added: show,
      reset: () => list.replaceChildren(),
      live: (isLive) => {
        $('status').textContent = isLive ? 'connected' : 'connecting …';
        $('status').toggleAttribute('data-live', isLive);
        $('empty').hidden = !isLive || list.children.length > 0;
      },
      refused,
    });
  $('text').focus();
}

/** Puts a message into its place in the order of keys. Everything in it is text, never markup. */
function show(key, message, previous) {
  const isAtEnd = scroll.scrollHeight - scroll.scrollTop - scroll.clientHeight < 80;
  const isOwn = message.from === session()?.uid;
  const item = document.createElement('li');
  item.dataset.key = key;
  item.dataset.from = message.from;
  item.className = isOwn ? 'own new' : 'new';
  if (!isOwn) item.append(part('span', 'name', `${names.get(message.from) ?? '…'}:`));
  const time = part('time', '', new Date(message.time).toLocaleString(undefined, {
    dateStyle: 'short', timeStyle: 'short',
  }));
  time.dateTime = new Date(message.time).toISOString();
  item.append(part('span', 'body', message.text), time);
  const before = list.lastElementChild?.dataset.key === previous
    ? list.lastElementChild
    : [...list.children].find((other) => other.dataset.key === previous);
  if (before) before.after(item);
  else list.prepend(item);
  while (list.children.length > 1000) list.firstElementChild.remove();
  $('empty').hidden = true;
  if (isAtEnd || isOwn) scroll.scrollTop = scroll.scrollHeight;
}

function part(name, className, text) {
  const element = document.createElement(name);
  if (className) element.className = className;
  element.textContent = text;
  return element;
}

// MARK: Sending

$('text').addEventListener('keydown', (event) => {
  if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  $('send').requestSubmit();
});

$('send').addEventListener('submit', async (event) => {
  event.preventDefault();
  const text = $('text').value;
  if (!text.trim()) {
    $('send-error').textContent = 'A message needs some text.';
    return;
  }
  $('send-error').textContent = '';
  $('text').value = '';
  try {
    await ask('POST', place(), { from: session().uid, text, time: { '.sv': 'timestamp' } });
  } catch (error) {
    $('send-error').textContent = `Not sent. ${error.message}`;
    // What was written must not be lost, nor what has been written since.
    $('text').value = [text, $('text').value].filter(Boolean).join('\n');
  }
  $('text').focus();
});

// A tab that is loaded again goes on where it was.
if (restore()) enter().catch((error) => complain(null, error.message));
