// Who is signed in: tokens of the server's accounts, kept, renewed in time, and given back.

const key = 'tchat-session';

/** Codes of the accounts' API in words for people. */
const words = {
  EMAIL_EXISTS: 'That name is taken.',
  INVALID_LOGIN_CREDENTIALS: 'The name or the password is wrong.',
  EMAIL_NOT_FOUND: 'The name or the password is wrong.',
  INVALID_PASSWORD: 'The name or the password is wrong.',
  WEAK_PASSWORD: 'A password needs at least 6 characters.',
  EASY_PASSWORD: 'This password is easy to guess. Please choose another one.',
  MISSING_PASSWORD: 'Please enter a password.',
  USER_DISABLED: 'This account has been disabled.',
  TOO_MANY_ATTEMPTS_TRY_LATER: 'Too many attempts. Try again later.',
};

let current = null;

/** The session: `uid`, `name`, tokens and when the first one runs out; null if nobody is signed in. */
export function session() {
  return current;
}

/** A session of before in this tab, if there is one. */
export function restore() {
  const kept = sessionStorage.getItem(key);
  if (kept) current = JSON.parse(kept);
  return current;
}

export const register = (name, password) => enter('signUp', name, password);
export const logIn = (name, password) => enter('signInWithPassword', name, password);

/** Ends the session here and on the server. */
export async function logOut() {
  const ended = current;
  keep(null);
  if (!ended) return;
  try {
    await call('/v1/accounts:signOut', { refreshToken: ended.refreshToken });
  } catch {
    // The tokens are forgotten here in any case.
  }
}

/** A token that is good for another minute at least. */
export async function token() {
  if (!current) throw new Error('You are not logged in.');
  if (current.expires - Date.now() < 60_000 && !(await renew())) throw new Error('You have been logged out.');
  return current.idToken;
}

/** Gets a new token; promises whether the session goes on. Throws if the server cannot say so now. */
export async function renew() {
  try {
    const answer = await call('/v1/token', {
      grant_type: 'refresh_token', refresh_token: current.refreshToken,
    });
    keep({
      ...current, idToken: answer.id_token, refreshToken: answer.refresh_token,
      expires: Date.now() + Number(answer.expires_in) * 1000,
    });
    return true;
  } catch (error) {
    if (error.isRefusal) return false;
    throw error;
  }
}

/** Accounts have addresses; here a name makes one, so that no two accounts have the same name. */
async function enter(method, name, password) {
  const answer = await call(`/v1/accounts:${method}`, {
    email: `${name.toLowerCase()}@tchat.example`, password, returnSecureToken: true,
  });
  keep({
    uid: answer.localId, name, idToken: answer.idToken, refreshToken: answer.refreshToken,
    expires: Date.now() + Number(answer.expiresIn) * 1000,
  });
  return current;
}

function keep(next) {
  current = next;
  if (next) sessionStorage.setItem(key, JSON.stringify(next));
  else sessionStorage.removeItem(key);
}

async function call(path, body) {
  let answer;
  try {
    answer = await fetch(`${path}?key=tchat`, {
      method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body),
    });
  } catch {
    throw new Error('The server cannot be reached.');
  }
  if (answer.ok) return answer.json();
  const failure = await answer.json().catch(() => null);
  const message = failure?.error?.message ?? '';
  const code = message.includes('easy to guess') ? 'EASY_PASSWORD' : message.split(' ')[0];
  const error = new Error(words[code] ?? 'The server cannot do that now. Try again later.');
  error.isRefusal = answer.status === 400;
  throw error;
}
