// Who is signed in: tokens of the server's accounts, kept as long as the user likes, renewed in time, and given
// back.

const key = 'image-chat-session';

/** Codes of the accounts' API in words for people. */
const words = {
  EMAIL_EXISTS: 'There is an account with this address already.',
  INVALID_EMAIL: 'This is not an e-mail address.',
  INVALID_LOGIN_CREDENTIALS: 'The address or the password is wrong.',
  EMAIL_NOT_FOUND: 'The address or the password is wrong.',
  INVALID_PASSWORD: 'The address or the password is wrong.',
  INVALID_OOB_CODE: 'This code is not right, or it has been used already.',
  EXPIRED_OOB_CODE: 'This code is too old. Ask for another one.',
  WEAK_PASSWORD: 'A password needs at least 6 characters.',
  EASY_PASSWORD: 'This password is easy to guess. Please choose another one.',
  MISSING_PASSWORD: 'Please enter a password.',
  USER_DISABLED: 'This account has been disabled.',
  TOO_MANY_ATTEMPTS_TRY_LATER: 'Too many attempts. Try again later.',
};

let current = null;

/** The session: `uid`, `name` (the display name, else the address), tokens and when the first one runs out; null if nobody is signed in. */
export function session() {
  return current;
}

/** A session of before: of this tab, or one that was to be kept. */
export function restore() {
  const kept = sessionStorage.getItem(key) ?? localStorage.getItem(key);
  if (kept) current = JSON.parse(kept);
  return current;
}

/** Makes an account; the name may be empty. */
export const register = (name, email, password, stays) => enter('signUp', {
  email, password, ...(name && { displayName: name }),
}, stays);

export const logIn = (email, password, stays) => enter('signInWithPassword', { email, password }, stays);

/** Has a code sent to an address, if there is an account with it; nobody is told whether there is. */
export const sendCode = (email) => call('/v1/accounts:sendOobCode', { requestType: 'PASSWORD_RESET', email });

/** Sets a new password by a code, or by the link in which it stands. */
export function resetPassword(codeOrLink, newPassword) {
  const oobCode = /[?&]oobCode=([^&#\s]+)/.exec(codeOrLink)?.[1] ?? codeOrLink.trim();
  return call('/v1/accounts:resetPassword', { oobCode: decodeURIComponent(oobCode), newPassword });
}

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

async function enter(method, facts, stays) {
  const answer = await call(`/v1/accounts:${method}`, { ...facts, returnSecureToken: true });
  keep({
    uid: answer.localId, name: answer.displayName || answer.email, stays, idToken: answer.idToken,
    refreshToken: answer.refreshToken, expires: Date.now() + Number(answer.expiresIn) * 1000,
  });
  return current;
}

function keep(next) {
  current = next;
  sessionStorage.removeItem(key);
  localStorage.removeItem(key);
  if (next) (next.stays ? localStorage : sessionStorage).setItem(key, JSON.stringify(next));
}

async function call(path, body) {
  let answer;
  try {
    answer = await fetch(`${path}?key=image-chat`, {
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
