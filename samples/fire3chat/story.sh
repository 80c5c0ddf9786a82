#!/usr/bin/env bash
# Plays the story of a small chat against a running, empty server: the history is imported, a newcomer leaves
# a device token, a reader follows the list, three ways of sending are used, and the export holds it all.
#
#     HEARTH=.build/release/hearth HEARTH_URL=http://127.0.0.1:9000 samples/fire3chat/story.sh
#
# HEARTH       the program (default: hearth in PATH)
# HEARTH_URL   where the server is (default: http://127.0.0.1:9000)
# HEARTH_TOKEN the administrator's token, which importing and exporting the whole database need
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
hearth=${HEARTH:-hearth}
export HEARTH_URL=${HEARTH_URL:-http://127.0.0.1:9000}
snapshot=$here/snapshot.json
patience=20 # seconds that any single step may take
folder=$(mktemp -d)
watcher=

cleanup() {
  [ -z "$watcher" ] || kill "$watcher" 2>/dev/null || true
  rm -rf "$folder"
}
trap cleanup EXIT

fail() {
  echo "story: $1" >&2
  exit 1
}

same() { # what, expected, actual
  [ "$2" = "$3" ] || fail "$1: expected $2, got $3"
}

request() { # method, path, body: the answer's body
  curl --silent --show-error --fail-with-body --max-time "$patience" -X "$1" --data "$3" "$HEARTH_URL$2" \
    || fail "$1 $2 was not accepted"
}

message() { # who, what: a message of now
  jq -nc --arg username "$1" --arg message "$2" --arg time "$(date '+%Y/%m/%d, %-H:%M:%S')" '$ARGS.named'
}

push_id() { # as the app makes one: eight characters of time, twelve of chance
  local letters=-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz
  local time id='' i
  time=$(date +%s%3N)
  for i in 1 2 3 4 5 6 7 8; do
    id=${letters:time % 64:1}$id
    time=$((time / 64))
  done
  for i in 1 2 3 4 5 6 7 8 9 10 11 12; do id+=${letters:RANDOM % 64:1}; done
  echo "$id"
}

next_event() { # puts the next line of the watcher into $event
  IFS= read -r -t "$patience" event <&3 || fail "the watcher ended or was silent before $1"
}

expect_event() { # what, key, data
  next_event "$1"
  same "$1, the event" child_added "$(jq -r .event <<<"$event")"
  same "$1, its key" "$2" "$(jq -r .key <<<"$event")"
  same "$1, its data" "$(jq -cS . <<<"$3")" "$(jq -cS .data <<<"$event")"
}

# The server is there, and empty.
curl --silent --output /dev/null --retry "$patience" --retry-connrefused --retry-max-time "$patience" \
  "$HEARTH_URL/.health" || fail "no server answers at $HEARTH_URL"
[ "$("$hearth" get /)" = null ] || fail "the database is not empty; this story wants one of its own"

# The history comes from a snapshot.
"$hearth" import / "$snapshot" || fail "the snapshot was not imported"
same "the imported messages" 12 "$("$hearth" get /messages | jq length)"

# Dora enters: her token joins the others.
request PATCH /tokens.json '{"dora":"token-of-dora"}' >/dev/null
same "the tokens" ann,bob,dora "$("$hearth" get /tokens | jq -r 'keys | join(",")')"

# A reader follows the list: first what is there, in order.
exec 3< <(exec "$hearth" watch /messages --events child_added --ndjson)
watcher=$!
while IFS= read -r entry; do
  expect_event "an old message" "$(jq -r .key <<<"$entry")" "$(jq -c .value <<<"$entry")"
done < <(jq -c '.messages | to_entries | sort_by(.key)[]' "$snapshot")

# Then each new one, however it was sent: by curl, by the command, by the app's own update.
first=$(message dora 'Hello, I am new here')
first_id=$(request POST /messages.json "$first" | jq -r .name)
expect_event "the message that curl sent" "$first_id" "$first"

second=$(message ann 'Welcome, Dora!')
second_path=$("$hearth" push /messages --data "$second")
second_id=${second_path##*/}
expect_event "the message that the command pushed" "$second_id" "$second"

third=$(message bob 'Late as ever: 🍲 is getting cold')
third_id=$(push_id)
request PATCH /messages.json "{\"$third_id\":$third}" >/dev/null
expect_event "the message that the app sent" "$third_id" "$third"

ids=$(printf '%s\n' "$first_id" "$second_id" "$third_id")
same "the order of the new messages" "$(LC_ALL=C sort <<<"$ids" | xargs)" "$(xargs <<<"$ids")"

# All of it is in the export, and nothing else.
"$hearth" export / -o "$folder/export.json" || fail "the database was not exported"
jq -S --arg a "$first_id" --argjson x "$first" --arg b "$second_id" --argjson y "$second" \
  --arg c "$third_id" --argjson z "$third" \
  '.messages += {($a): $x, ($b): $y, ($c): $z} | .tokens.dora = "token-of-dora"' \
  "$snapshot" >"$folder/expected.json"
jq -S . "$folder/export.json" >"$folder/actual.json"
diff "$folder/expected.json" "$folder/actual.json" >&2 || fail "the export differs from what was written"

echo "story: 12 old messages and 3 new ones told in order, and all of them exported"
