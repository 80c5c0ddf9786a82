// A channel with texts and images, for those who have an account.

import { follow } from './follow.js';
import { pushID } from './pushid.js';
import { logIn, logOut, register, renew, resetPassword, restore, sendCode, session, token } from './session.js';

const channel = '/channels/MyChannel';
const imageTypes = { 'image/png': 'png', 'image/jpeg': 'jpg', 'image/gif': 'gif', 'image/webp': 'webp' };
const imageByteLimit = 5 * 1024 * 1024;

const $ = (id) => document.getElementById(id);
const list = $('messages');
const scroll = $('scroll');
/** Messages by key, as they were told last. */
const messages = new Map();
let stop = () => {};

/** Asks the database or its files; throws words for people. */
async function ask(method, path, body, headers) {
  const address = `${path}?auth=${await token()}`;
  let answer;
  try {
    answer = await fetch(address, { method, body, headers });
  } catch {
    throw new Error('The server cannot be reached.');
  }
  if (answer.ok) return answer;
  const { error } = await answer.json().catch(() => ({ error: null }));
  const words = {
    401: 'The server does not allow this.',
    413: 'The image is too large.',
    415: 'This is not an image that can be sent.',
    507: 'The server has no room for it.',
  };
  throw new Error(words[answer.status] ?? error ?? `The server answered ${answer.status}.`);
}

const askData = async (method, path, value) =>
  (await ask(method, `${path}.json`, value === undefined ? undefined : JSON.stringify(value))).json();

// MARK: The entrance

function showForm(name, notice = '') {
  for (const form of $('entrance').querySelectorAll('form')) form.hidden = form.id !== name;
  $('login-notice').textContent = notice;
  for (const error of $('entrance').querySelectorAll('.error')) error.textContent = '';
  for (const input of $('entrance').querySelectorAll('input[type="password"]')) input.value = '';
  $(name).querySelector('input').focus();
}

for (const button of document.querySelectorAll('[data-show]')) {
  button.addEventListener('click', () => showForm(button.dataset.show));
}

/** What is wrong with the fields of a form: the first field and the words; null if nothing is. */
function fault(fields) {
  for (const [input, value] of fields) {
    if (input.type === 'email') {
      if (!value) return [input, 'Please enter your e-mail address.'];
      if (!/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(value)) return [input, 'This is not an e-mail address.'];
    }
    if (input.type === 'password') {
      if (!value) return [input, 'Please enter a password.'];
      if (input.autocomplete === 'new-password' && value.length < 6) {
        return [input, 'A password needs at least 6 characters.'];
      }
    }
    if (input.name === 'code' && !value) return [input, 'Please enter the code.'];
    if (input.name === 'name' && value.length > 64) return [input, 'A name has at most 64 characters.'];
  }
  return null;
}

function handle(name, action) {
  const form = $(name);
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const inputs = [...form.querySelectorAll('input:not([type="checkbox"])')];
    const fields = inputs.map((input) => [input, input.type === 'password' ? input.value : input.value.trim()]);
    const wrong = fault(fields);
    for (const input of inputs) input.setAttribute('aria-invalid', String(input === wrong?.[0]));
    $(`${name}-error`).textContent = wrong?.[1] ?? '';
    if (wrong) return wrong[0].focus();
    const button = form.querySelector('[type="submit"]');
    button.disabled = true;
    try {
      await action(Object.fromEntries(fields.map(([input, value]) => [input.name, value])));
    } catch (error) {
      $(`${name}-error`).textContent = error.message;
    } finally {
      button.disabled = false;
    }
  });
}

handle('login', async ({ email, password }) => {
  await logIn(email, password, $('stay').checked);
  await join();
});
handle('register', async ({ name, email, password }) => {
  await register(name, email, password, false);
  await join();
});
handle('forgotten', async ({ email }) => {
  await sendCode(email);
  showForm('reset');
});
handle('reset', async ({ code, password }) => {
  await resetPassword(code, password);
  showForm('login', 'Your password has been changed. Log in with the new one.');
});

// MARK: The channel

async function join() {
  const { uid, name } = session();
  await askData('PUT', `${channel}/members/${uid}`, true);
  document.title = `Image chat · ${name}`;
  $('who').textContent = name;
  $('entrance').hidden = true;
  $('room').hidden = false;
  clear();
  stop = follow(
    () => `${channel}/messages.json?events=child_added,child_changed,child_removed`
      + `&orderBy="$key"&limitToLast=1000&auth=${session()?.idToken}`,
    {
      added: add,
      changed: (key, message) => {
        messages.set(key, message);
        item(key)?.replaceChildren(...parts(key, message));
      },
      removed: (key) => {
        messages.delete(key);
        item(key)?.remove();
        $('empty').hidden = list.children.length > 0;
      },
      reset: clear,
      live: (isLive) => {
        $('status').textContent = isLive ? 'connected' : 'connecting …';
        $('status').toggleAttribute('data-live', isLive);
        $('empty').hidden = !isLive || list.children.length > 0;
      },
      refused,
    });
  $('text').focus();
}

/** The stream was refused: with a new token, if there is one. */
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

async function leave(notice) {
  stop();
  await logOut();
  clear();
  document.title = 'Image chat';
  $('who').textContent = '';
  $('status').textContent = 'connecting …';
  $('status').removeAttribute('data-live');
  $('room').hidden = true;
  $('entrance').hidden = false;
  showForm('login', notice);
}

$('logout').addEventListener('click', () => leave('You have logged out.'));

function clear() {
  messages.clear();
  list.replaceChildren();
}

// MARK: Messages

const item = (key) => list.querySelector(`[data-key="${CSS.escape(key)}"]`);

/** Puts a message into its place in the order of keys. */
function add(key, message, previous) {
  const isAtEnd = scroll.scrollHeight - scroll.scrollTop - scroll.clientHeight < 80;
  const isOwn = message.userId === session()?.uid;
  messages.set(key, message);
  const entry = document.createElement('li');
  entry.dataset.key = key;
  entry.className = isOwn ? 'own new' : 'new';
  entry.append(...parts(key, message));
  const before = previous === null ? null : item(previous);
  if (before) before.after(entry);
  else list.prepend(entry);
  $('empty').hidden = true;
  if (isAtEnd || isOwn) scroll.scrollTop = scroll.scrollHeight;
}

/** What is shown of a message. Everything in it is text, never markup. */
function parts(key, message) {
  const isOwn = message.userId === session()?.uid;
  const shown = [];
  if (!isOwn) shown.push(element('span', 'name', message.userName));
  if (message.image) shown.push(picture(message));
  if (message.messageText) shown.push(element('span', 'body', message.messageText));
  const time = element('time', '', timeText(new Date(message.created)) + (message.edited ? ' · edited' : ''));
  time.dateTime = new Date(message.created).toISOString();
  shown.push(time);
  if (isOwn) {
    const actions = element('span', 'actions', '');
    actions.append(action('Edit', () => edit(key)), action('Delete', () => remove(key)));
    shown.push(actions);
  }
  return shown;
}

function element(name, className, text) {
  const made = document.createElement(name);
  if (className) made.className = className;
  made.textContent = text;
  return made;
}

function action(label, act) {
  const button = element('button', '', label);
  button.type = 'button';
  button.addEventListener('click', act);
  return button;
}

/** `HH:mm:ss / MMM d, yyyy`. */
function timeText(date) {
  const two = (number) => String(number).padStart(2, '0');
  const clock = [date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(':');
  const month = date.toLocaleString('en', { month: 'short' });
  return `${clock} / ${month} ${date.getDate()}, ${date.getFullYear()}`;
}

/** An image is fetched with the token and shown from memory, so that the token stands in no address of the page. */
function picture(message) {
  const image = element('img', 'picture', '');
  image.alt = `Image from ${message.userName}`;
  ask('GET', `/.files/${message.image}`).then((answer) => answer.blob()).then((bytes) => {
    image.src = URL.createObjectURL(bytes);
    image.onload = () => {
      URL.revokeObjectURL(image.src);
      scroll.scrollTop += scroll.scrollHeight - scroll.scrollTop - scroll.clientHeight < 400 ? 400 : 0;
    };
  }).catch((error) => {
    image.replaceWith(element('span', 'error', `The image cannot be shown. ${error.message}`));
  });
  return image;
}

// MARK: Editing

function edit(key) {
  const entry = item(key);
  const form = element('form', 'edit', '');
  const field = element('textarea', '', messages.get(key).messageText);
  field.setAttribute('aria-label', 'Message');
  field.maxLength = 2000;
  const problem = element('p', 'error', '');
  problem.setAttribute('role', 'alert');
  const save = element('button', '', 'Save');
  const buttons = element('span', 'actions', '');
  buttons.append(save, action('Cancel', finish));
  form.append(field, problem, buttons);
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const text = field.value.trim();
    if (!text && !messages.get(key).image) {
      problem.textContent = 'A message needs some text.';
      return;
    }
    try {
      await askData('PATCH', `${channel}/messages/${key}`, { messageText: text, edited: { '.sv': 'timestamp' } });
      finish();
    } catch (error) {
      problem.textContent = `Not changed. ${error.message}`;
    }
  });
  field.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') finish();
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    form.requestSubmit();
  });
  entry.replaceChildren(form);
  field.focus();

  function finish() {
    const message = messages.get(key);
    if (message) item(key)?.replaceChildren(...parts(key, message));
    $('text').focus();
  }
}

async function remove(key) {
  const { image } = messages.get(key);
  try {
    await askData('DELETE', `${channel}/messages/${key}`);
    if (image) await ask('DELETE', `/.files/${image}`);
    $('send-error').textContent = '';
  } catch (error) {
    $('send-error').textContent = `Not deleted. ${error.message}`;
  }
}

// MARK: Sending

$('image').addEventListener('change', () => {
  const [file] = $('image').files;
  const problem = file && imageFault(file);
  $('send-error').textContent = problem ?? '';
  if (problem) $('image').value = '';
  $('chosen').hidden = !$('image').files.length;
  $('chosen-name').textContent = $('image').files[0]?.name ?? '';
  $('text').focus();
});

$('unchoose').addEventListener('click', unchoose);

function unchoose() {
  $('image').value = '';
  $('chosen').hidden = true;
}

function imageFault(file) {
  if (!imageTypes[file.type]) return 'Only PNG, JPEG, GIF and WebP images can be sent.';
  if (file.size > imageByteLimit) return 'The image is too large: it may have 5 MB.';
  return null;
}

$('text').addEventListener('keydown', (event) => {
  if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  $('send').requestSubmit();
});

$('send').addEventListener('submit', async (event) => {
  event.preventDefault();
  const text = $('text').value.trim();
  const [file] = $('image').files;
  if (!text && !file) {
    $('send-error').textContent = 'A message needs some text or an image.';
    return;
  }
  $('send-error').textContent = '';
  $('submit').disabled = true;
  try {
    const key = pushID();
    const { uid, name } = session();
    const message = { userId: uid, userName: name, messageText: text, created: { '.sv': 'timestamp' } };
    if (file) {
      message.image = `channels/MyChannel/${uid}/${key}.${imageTypes[file.type]}`;
      await ask('PUT', `/.files/${message.image}`, file, { 'Content-Type': file.type });
    }
    await askData('PUT', `${channel}/messages/${key}`, message);
    $('text').value = '';
    unchoose();
  } catch (error) {
    $('send-error').textContent = `Not sent. ${error.message}`;
  } finally {
    $('submit').disabled = false;
    $('text').focus();
  }
});

// Whoever stayed logged in goes on where it was.
if (restore()) {
  join().catch((error) => {
    $('login-error').textContent = error.message;
  });
}
