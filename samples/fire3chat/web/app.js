// A chat without accounts: whoever says a name is in.

import { follow } from './follow.js';
import { pushID } from './pushid.js';

const $ = (id) => document.getElementById(id);
const list = $('messages');
const scroll = $('scroll');
let username = '';

/** Asks the database; throws words for people. */
async function ask(method, path, body) {
  let answer;
  try {
    answer = await fetch(path + '.json', { method, body: JSON.stringify(body) });
  } catch {
    throw new Error('The server cannot be reached.');
  }
  if (answer.ok) return answer.json();
  if (answer.status === 401) throw new Error('The server does not allow this.');
  const { error } = await answer.json().catch(() => ({ error: `It answered ${answer.status}.` }));
  throw new Error(error);
}

/** `yyyy/MM/dd, H:mm:ss`, as the phone app writes it. */
function timeText(date) {
  const two = (number) => String(number).padStart(2, '0');
  const day = [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join('/');
  return `${day}, ${date.getHours()}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}

// MARK: Entering

$('enter').addEventListener('submit', async (event) => {
  event.preventDefault();
  const name = $('name').value.trim();
  const token = $('token').value.trim();
  $('name').setAttribute('aria-invalid', String(!name));
  if (!name) {
    $('enter-error').textContent = 'Please enter a name.';
    $('name').focus();
    return;
  }
  try {
    $('enter-error').textContent = '';
    if (token) await ask('PATCH', '/tokens', { [name]: token });
    enter(name);
  } catch (error) {
    $('enter-error').textContent = `You are not in yet. ${error.message}`;
  }
});

function enter(name) {
  username = name;
  document.title = `fire3chat · ${name}`;
  $('who').textContent = name;
  $('entrance').hidden = true;
  $('room').hidden = false;
  $('text').focus();
  follow(() => '/messages.json?events=child_added', {
    added: show,
    reset: () => list.replaceChildren(),
    live: (isLive) => {
      $('status').textContent = isLive ? 'connected' : 'connecting …';
      $('status').toggleAttribute('data-live', isLive);
      $('empty').hidden = !isLive || list.children.length > 0;
    },
    refused: async () => {
      $('status').textContent = 'The server does not allow reading.';
      return false;
    },
  });
}

// MARK: Messages

/** Puts a message into its place in the order of keys. Everything in it is text, never markup. */
function show(key, message, previous) {
  const isAtEnd = scroll.scrollHeight - scroll.scrollTop - scroll.clientHeight < 80;
  const item = document.createElement('li');
  item.dataset.key = key;
  item.className = message.username === username ? 'own new' : 'new';
  if (message.username !== username) item.append(part('span', 'name', `${message.username}:`));
  item.append(part('span', 'body', message.message), part('time', '', message.time));
  const before = list.lastElementChild?.dataset.key === previous
    ? list.lastElementChild
    : [...list.children].find((other) => other.dataset.key === previous);
  if (before) before.after(item);
  else list.prepend(item);
  $('empty').hidden = true;
  if (isAtEnd) scroll.scrollTop = scroll.scrollHeight;
}

function part(name, className, text) {
  const element = document.createElement(name);
  if (className) element.className = className;
  element.textContent = text;
  return element;
}

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
    $('text').focus();
    return;
  }
  $('send-error').textContent = '';
  $('text').value = '';
  try {
    await ask('PATCH', '/messages', { [pushID()]: { username, message: text, time: timeText(new Date()) } });
  } catch (error) {
    $('send-error').textContent = `Not sent. ${error.message}`;
    // What was written must not be lost, nor what has been written since.
    $('text').value = [text, $('text').value].filter(Boolean).join('\n');
  }
  $('text').focus();
});
