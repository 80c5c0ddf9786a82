// Follows the children of a place: what is there first, then every change, over lost connections, restarts and
// tokens that have run out.

/**
 * @param {() => string} address  gives the address to ask, with at least one parameter; called anew for each
 *   connection, so that a token in it may change
 * @param {object} told  `added`, `changed`, `removed` (each gets key, data and the key before it), `reset` when
 *   all that was told is void, `live` with whether the stream is open, `refused` when reading is not allowed (any
 *   more): it promises whether trying again makes sense, with another token for instance
 * @returns a function that ends it
 */
export function follow(address, told) {
  let source = null;
  let cursor = null;
  let timer = 0;
  let wait = 500;
  let isOver = false;

  function open() {
    if (isOver) return;
    const since = cursor === null ? '' : '&since=' + encodeURIComponent(cursor);
    source = new EventSource(address() + since);
    source.onopen = () => {
      wait = 500;
      told.live?.(true);
    };
    source.onerror = () => {
      told.live?.(false);
      // The browser itself connects again after a lost connection, but not after an answer that says no.
      if (source.readyState === EventSource.CLOSED) ask();
    };
    listen('child_added', told.added);
    listen('child_changed', told.changed);
    listen('child_removed', told.removed);
    source.addEventListener('resync', (event) => {
      note(event);
      told.reset?.();
    });
    source.addEventListener('keep-alive', note);
    for (const end of ['cancel', 'auth_revoked']) source.addEventListener(end, refused);
  }

  function listen(kind, handler) {
    source.addEventListener(kind, (event) => {
      note(event);
      const { key, data, previous } = JSON.parse(event.data);
      handler?.(key, data, previous);
    });
  }

  function note(event) {
    if (event.lastEventId) cursor = event.lastEventId;
  }

  async function refused() {
    source.close();
    told.live?.(false);
    if (isOver || !(await told.refused?.())) return;
    later();
  }

  /** Finds out why the stream was refused, which it cannot tell itself. */
  async function ask() {
    source.close();
    try {
      const answer = await fetch(address() + '&feed=longpoll&timeout=0s&limit=0');
      if (answer.status === 401) return refused();
    } catch {
      // Nobody answers: later, then.
    }
    later();
  }

  function later() {
    if (isOver) return;
    timer = setTimeout(open, wait + Math.random() * 250);
    wait = Math.min(wait * 2, 15000);
  }

  open();
  return () => {
    isOver = true;
    clearTimeout(timer);
    source.close();
  };
}
