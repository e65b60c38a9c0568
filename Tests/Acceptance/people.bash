# Rows 35 to 50: owner, participants, permissions. Sourced by `run`.

row 41 'inviting somebody unknown is refused, and never silently dropped'
row_41() {
  people ana bob
  mkdir "$work/ana/Trip"
  ana share create "$work/ana/Trip" >/dev/null
  expect_status participantMayNeedVerification ana share invite "$work/ana/Trip" nobody
  same "people in the share" 1 \
    "$(value '.share.participants | length' ana share show "$work/ana/Trip")"
  ana share invite "$work/ana/Trip" bob
  expect '[.users[] | [.handle, .name]] == [["ana", "Ana"], ["bob", "Bob"]]' ana user list
}

row 43 'share show says who I am in it'
row_43() {
  sharing read-only bob
  expect '.share.me == {role: "owner", permission: "readWrite", acceptance: "accepted"}' \
    ana share show "$work/ana/Trip"
  expect '.share.me == {role: "privateUser", permission: "readOnly", acceptance: "accepted"}' \
    bob share show "$work/bob/Trip"
}

row 44 'stat says owner, participant or no, while the container is away too'
row_44() {
  sharing read-write bob
  mkdir "$work/bob/Own"
  bob add "$work/bob/Own"
  echo x >"$work/bob/Own/x"
  echo y >"$work/bob/Trip/y"
  settle bob ana
  hide_cloud
  expect '[.paths[].shared] == ["participant", "no", "no"]' \
    bob stat "$work/bob/Trip/y" "$work/bob/Own/x" "$work/bob"
  expect '[.paths[] | [.shared, .state]] == [["owner", "synced"]]' ana stat "$work/ana/Trip/y"
  show_cloud
}

row 45 'a participant sees the members and may not invite'
row_45() {
  sharing read-write bob
  people cleo
  expect '[.participants[].handle] == ["ana", "bob"]' bob share participants "$work/bob/Trip"
  expect_status permissionFailure bob share invite "$work/bob/Trip" cleo
  expect '[.participants[].handle] == ["ana", "bob"]' ana share participants "$work/ana/Trip"
  expect '.invitations == []' cleo share invitations
}

# What Bob wrote without the right lies in a rescue folder that his status names.
rescued_at_bob() { # TEXT
  local place
  while IFS= read -r place; do
    grep -qF "$1" "$place" && return 0
  done < <(value '.mounts[].rescued[].path' bob status)
  return 1
}

row 49 'an edit without the right is undone within a second; its bytes are in a named place'
row_49() {
  people ana bob
  mkdir "$work/ana/Trip"
  echo shared >"$work/ana/Trip/f"
  sharing read-only bob
  settle ana bob
  force_write "$work/bob/Trip/f" "bob's own words"
  within 1000 reads "$work/bob/Trip/f" shared
  bob wait --timeout 60
  rescued_at_bob "bob's own words" || fail "the rescued bytes aren't where status says"
  expect '.mounts[0].rescued | length == 1 and (.[0].reason | length > 0)' bob status
  reads "$work/ana/Trip/f" shared || fail "ana's file must stay"
}

# Writes a file that may be read-only on disk, as a determined owner of the disk can.
force_write() { # FILE TEXT
  chmod u+w "$1" 2>/dev/null || true
  printf '%s\n' "$2" >"$1"
}

row 50 'one refused change stops nothing else, not even a hundred of them'
row_50() {
  sharing read-only bob
  echo shared >"$work/ana/Trip/f"
  mkdir "$work/bob/Own" "$work/ana/Rw"
  bob add "$work/bob/Own"
  ana share create "$work/ana/Rw" >/dev/null
  bob share accept "$(ana share invite "$work/ana/Rw" bob | tail -n 1)" --at "$work/bob/Rw" --wait
  settle ana bob
  rejected_and_others 1
  bob stop
  bob start
  rejected_and_others 2
  local round
  for round in {3..102}; do printf '%s\n' "$round" >"$work/bob/Trip/new-$round"; done
  rejected_and_others 103
  bob wait --timeout 60
  same "what the share holds" f "$(ls "$work/ana/Trip")"
}

# Bob edits what he may only read, and then two files that he may write.
rejected_and_others() { # ROUND
  force_write "$work/bob/Trip/f" "refused $1"
  echo "$1" >"$work/bob/Own/g"
  echo "$1" >"$work/bob/Rw/h"
  eventually reads "$work/bob/Trip/f" shared
  eventually reads "$work/ana/Rw/h" "$1"
  bob wait --timeout 60 "$work/bob/Own"
  expect '.entries[] | select(.path | endswith("/g")) | .state == "synced"' bob ls "$work/bob/Own"
  rescued_at_bob "refused $1" || fail "the refused bytes aren't where status says"
}
