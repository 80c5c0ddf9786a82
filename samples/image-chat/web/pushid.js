// Names that sort by the time at which they were made, as every client of such a database makes them.

const letters = '-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz';
let lastTime = 0;
let lastTail = [];

/** A new push ID: eight letters of time, twelve of chance; within a millisecond the chance is counted up. */
export function pushID() {
  const time = Math.max(Date.now(), lastTime);
  if (time > lastTime) {
    lastTail = Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => byte & 63);
  } else {
    for (let place = 11; place >= 0; place -= 1) {
      lastTail[place] = (lastTail[place] + 1) & 63;
      if (lastTail[place] !== 0) break;
    }
  }
  lastTime = time;
  let head = '';
  for (let rest = time, place = 0; place < 8; place += 1) {
    head = letters[rest % 64] + head;
    rest = Math.floor(rest / 64);
  }
  return head + lastTail.map((number) => letters[number]).join('');
}
