# Rows 109 to 119: schema, operation, tools. Sourced by `run`.

row 110 'init on a live container changes nothing but to add a person, and blocks nobody'
row_110() {
  sharing read-write bob
  local before file
  before=$(find "$work/cloud" -type f -printf '%P %s %T@\n' | sort)
  for file in {1..20}; do as "p$file" init --container "$work/cloud" --name P --handle "p$file"; done &
  echo meanwhile >"$work/ana/Trip/meanwhile"
  within 1000 reads "$work/bob/Trip/meanwhile" meanwhile
  wait $!
  same "objects that went or changed" "" \
    "$(comm -23 <(echo "$before") <(find "$work/cloud" -type f -printf '%P %s %T@\n' | sort))"
  expect_status alreadyExists ana init --container "$work/cloud" --name Ana --handle ana
}

row 111 'init --dry-run touches nothing'
row_111() {
  mkdir "$work/cloud" "$work/ana"
  ana init --container "$work/cloud" --name Ana --handle ana --dry-run
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
  same "in the shared store" shared "$(sql bob shared "SELECT CAST(name AS TEXT) FROM record WHERE type = 'file'")"
  same "in the private store" private \
    "$(sql bob private "SELECT CAST(name AS TEXT) FROM record WHERE type = 'file'")"
  same "what ana has" shared "$(ls "$work/ana/Trip")"
}
