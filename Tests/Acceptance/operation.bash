# Rows 109 to 120: schema, operation, tools. Sourced by `run`.

row 109 'what a newer program adds to a record survives the edits of older ones'
row_109() {
  sharing read-write bob
  people mel
  join mel read-write
  settle ana bob mel
  as mel stop
  "$here/newer" "$work" mel write note 'by a later version'
  settle ana bob
  reads "$work/bob/Trip/note" 'by mel' || fail "the record itself must be read"
  # Older programs edit, rename and move it, and one of them has to fold the log anew.
  echo edited >>"$work/bob/Trip/note"
  settle bob ana
  mkdir "$work/ana/Trip/d"
  mv "$work/ana/Trip/note" "$work/ana/Trip/d/renamed"
  settle ana bob
  same "what the newer program reads" 'renamed by a later version' \
    "$("$here/newer" "$work" mel tell)"
  bob stop
  rm "$work/bob/home/index/"shared.sqlite*
  bob start
  settle bob ana
  same "what bob has" "by mel edited" "$(xargs <"$work/bob/Trip/d/renamed")"
  same "what the newer program reads" 'renamed by a later version' \
    "$("$here/newer" "$work" mel tell)"
  ana verify
}

row 110 'init on a live container changes nothing but to add a person, and blocks nobody'
row_110() {
  sharing read-write bob
  local before file
  before=$(lasting_objects)
  for file in {1..20}; do as "p$file" init --container "$(place)" --name P --handle "p$file"; done &
  echo meanwhile >"$work/ana/Trip/meanwhile"
  within 1000 reads "$work/bob/Trip/meanwhile" meanwhile
  wait $!
  same "objects that went or changed" "" \
    "$(comm -23 <(echo "$before") <(lasting_objects))"
  expect_status alreadyExists ana init --container "$(place)" --name Ana --handle ana
}

# All objects but bells, which a device replaces whenever it rings.
lasting_objects() {
  find "$work/cloud" -path "$work/cloud/bells" -prune -o -type f -printf '%P %s %T@\n' | sort
}

row 111 'init --dry-run touches nothing'
row_111() {
  mkdir -p "$work/cloud" "$work/ana"
  ana init --container "$(place)" --name Ana --handle ana --dry-run
  same "objects" "" "$(find "$work/cloud" -mindepth 1)"
  is_gone "$work/ana/home/cairn.conf"
  is_gone "$work/ana/home/keys/account"
}

row 112 'setting up is a command of its own, which no other does in passing'
row_112() {
  mkdir -p "$work/ana/Trip"
  expect_status notAuthenticated ana share create "$work/ana/Trip"
  expect_status notAuthenticated ana status
  is_gone "$work/ana/home/cairn.conf"
  is_gone "$work/ana/Trip/.cairn"
}

row 113 'inspect shows zones, entries and sizes, and nothing that is readable'
row_113() {
  sharing read-write bob
  noise 300000 >"$work/ana/Trip/Yggdrasil"
  settle ana bob
  local zone
  zone=$(zone_of ana "$work/ana/Trip")
  expect "[.zones[] | select(.zone == \"$zone\" and .entries >= 4 and .bytes > 0)] |
    length == 1" bob inspect
  expect '(.users | length) == 2 and ([.users[].bytes] | add) >= 300000' bob inspect
  refute grep -q 'Yggdrasil\|Trip\|ana' <(bob inspect | cut -d ' ' -f 1-)
}

row 114 'the web-service counterpart is the plain export (row 103)'
row_114() { row_103; }

row 115 'with the container gone everything can be read, and edits wait'
row_115() {
  sharing read-write bob
  echo before >"$work/ana/Trip/file"
  settle ana bob
  hide_cloud
  reads "$work/bob/Trip/file" before || fail "files must stay"
  echo after >"$work/bob/Trip/file"
  eventually holds '.mounts[0] | .phase == "offline" and (.problems | length) > 0' bob status
  expect '[.entries[].path | split("/")[-1]] == ["file"]' bob ls "$work/bob/Trip"
  expect '.isRecalled and ([.users[].handle] == ["ana", "bob"])' bob user list
  expect '[.entries[].changes[].path] | any(. == "file")' bob log "$work/bob/Trip"
  expect '[.devices[].isThis] == [true]' bob device list
  expect '.invitations == []' bob share invitations
  expect '[.shares[].title] == ["Trip"]' bob share list
  expect '.stored == null' ana quota
  expect_status timedOut bob wait --timeout 0
  show_cloud
  settle bob ana
  reads "$work/ana/Trip/file" after || fail "the edit must go when the container is back"
}

row 116 'a command that is killed leaves the work to the daemon'
row_116() {
  people ana
  mkdir "$work/ana/Trip"
  local file
  for file in {1..3000}; do echo "$file" >"$work/ana/Trip/$file"; done
  ana start
  CAIRN_HOME=$work/ana/home "$binaries/cairn" share create "$work/ana/Trip" 9>&- &
  kill -KILL $!
  wait $! || true
  ana share create "$work/ana/Trip"
  ana wait --timeout 120
  expect '.shares | length == 1' ana share list
  expect '.mounts | length == 1 and .[0].files == 3000 and .[0].phase == "idle"' ana status
}

row 117 'where a file is made decides its database, and only its own zone gets it'
row_117() {
  sharing read-write bob
  mkdir "$work/bob/Own"
  bob add "$work/bob/Own"
  echo 1 >"$work/bob/Trip/shared"
  echo 2 >"$work/bob/Own/private"
  settle bob ana
  same "in the shared store" shared \
    "$(sql bob shared "SELECT CAST(name AS TEXT) FROM record WHERE type = 'file'")"
  same "in the private store" private \
    "$(sql bob private "SELECT CAST(name AS TEXT) FROM record WHERE type = 'file'")"
  same "what ana has" shared "$(ls "$work/ana/Trip")"
}

row 118 'the mark that something is shared goes the moment the share does'
row_118() {
  sharing read-write bob
  echo x >"$work/ana/Trip/x"
  settle ana bob
  expect '.paths[0].shared == "participant"' bob stat "$work/bob/Trip/x"
  ana share stop "$work/ana/Trip"
  expect '.paths[0].shared == "no"' ana stat "$work/ana/Trip/x"
  within 1000 holds '.paths[0].shared == "no"' bob stat "$work/bob/Trip/x"
}

row 119 'doctor names what is missing and what to do'
row_119() {
  sharing read-write bob
  expect '[.checks[] | select(.code)] == [] and (.checks | length) >= 8' bob doctor
  hide_cloud
  found_by_doctor container networkUnavailable
  show_cloud
  mv "$work/bob/Trip" "$work/bob/away"
  eventually holds '.mounts[0].phase == "detached"' bob status
  found_by_doctor folders unknownItem
  mv "$work/bob/away" "$work/bob/Trip"
  eventually bob doctor
  chmod 644 "$work/bob/home/keys/account"
  found_by_doctor identity notAuthenticated
  bob stop
  found_by_doctor daemon notAuthenticated
  chmod 600 "$work/bob/home/keys/account"
  sed -i 's/^id = .*/id = "0123456789abcdef0123456789abcdef"/' "$work/bob/home/cairn.conf"
  found_by_doctor daemon badContainer
}

# The check fails with this error, says what to do, and decides the exit status.
found_by_doctor() { # CHECK CODE
  local status=0 answer
  answer=$(bob doctor --json) || status=$?
  jq -e --arg name "$1" --arg code "$2" '.checks[] |
    select(.name == $name and .code == $code and (.remedy | length) > 0)' >/dev/null \
    <<<"$answer" || fail "doctor doesn't say $2 of $1: $answer"
  same "its exit status" "$(status_of "$2")" "$status"
}

row 120 'what is on its way is listed with the reason that it waits, and can be moved to the front'
row_120() {
  sharing read-write bob
  same "what is on its way" "Nothing is transferred." "$(ana transfers)"
  ana pause "$work/ana/Trip"
  head -c 9000000 /dev/urandom >"$work/ana/Trip/film"
  listed() { ana transfers "$work/ana/Trip" | grep -q 'upload.*paused.*film$'; }
  within 100 listed
  ana transfers --first "$work/ana/Trip/film" | grep -q '1 file comes first' || fail "it must come first"
  ana resume
  settle ana bob
  same "what is on its way" "Nothing is transferred." "$(ana transfers)"
  cmp "$work/ana/Trip/film" "$work/bob/Trip/film"
}
