# Rows 35 to 50: owner, participants, permissions. Sourced by `run`.

row 35 'only the owner and administrators change who may do what; only the owner ends it'
row_35() {
  sharing read-write bob cleo
  local trip=$work/bob/Trip
  people dora
  expect_status permissionFailure bob share set-public "$trip" read-only --yes
  expect_status permissionFailure bob share invite "$trip" dora
  expect_status permissionFailure bob share remove "$trip" cleo
  expect_status permissionFailure bob share set-permission "$trip" cleo read-only
  expect_status permissionFailure bob share set-role "$trip" bob administrator
  expect_status permissionFailure bob share stop "$trip"
  expect '[.participants[] | [.handle, .role, .permission]] | sort ==
    [["ana", "owner", "read-write"], ["bob", "participant", "read-write"],
    ["cleo", "participant", "read-write"]]' ana share participants "$work/ana/Trip"
  ana share set-role "$work/ana/Trip" bob administrator
  eventually participant_is bob "$trip" bob '.role == "administrator"'
  bob share set-permission "$trip" cleo read-only
  expect_status permissionFailure bob share stop "$trip"
  ana share stop "$work/ana/Trip"
}

row 36 'who leaves loses the files, and nothing changes for the others'
row_36() {
  sharing read-write bob cleo
  echo x >"$work/ana/Trip/x"
  settle ana bob cleo
  bob share leave "$work/bob/Trip"
  eventually is_gone "$work/bob/Trip/x"
  expect '.shares == []' bob share list
  within 1000 holds '[.participants[].handle] == ["ana", "cleo"]' \
    ana share participants "$work/ana/Trip"
  echo y >"$work/cleo/Trip/y"
  settle cleo ana
  same_tree "$work/ana/Trip" "$work/cleo/Trip" 2
}

row 37 'named people and anyone with the link exclude each other; who loses what is said first'
row_37() {
  sharing read-write bob
  people cleo
  local trip=$work/ana/Trip old
  old=$(ana share invite "$trip" cleo | tail -n 1)
  echo x >"$trip/x"
  settle ana bob
  refute ana share set-public "$trip" read-only
  said ana share set-public "$trip" read-only | grep -qi cleo || fail "it must say who loses what"
  ana share set-public "$trip" read-only --yes
  expect '[.participants[] | [.handle, .role]] == [["ana", "owner"], ["bob", "by-link"]]' \
    ana share participants "$trip"
  expect_status permissionFailure cleo share accept "$old" --at "$work/cleo/Trip"
  eventually participant_is bob "$work/bob/Trip" bob '.permission == "read-only"'
  reads "$work/bob/Trip/x" x || fail "bob still reads"
  ana share set-public "$trip" none --yes
  eventually is_gone "$work/bob/Trip/x"
  expect '[.participants[].handle] == ["ana"]' ana share participants "$trip"
}

row 38 'with anyone and read-write, a stranger joins by the link and writes; nobody is invited'
row_38() {
  people ana bob cleo
  mkdir "$work/ana/Trip"
  ana share create "$work/ana/Trip" >/dev/null
  ana share set-public "$work/ana/Trip" read-write --yes
  expect_status invalidArguments ana share invite "$work/ana/Trip" bob
  cleo share accept "$(ana share link "$work/ana/Trip" | tail -n 1)" --at "$work/cleo/Trip" --wait
  echo hi >"$work/cleo/Trip/hi"
  settle cleo ana
  reads "$work/ana/Trip/hi" hi || fail "the stranger may write"
}

row 39 'permissions are changed and in force at once'
row_39() {
  sharing read-only bob
  echo shared >"$work/ana/Trip/f"
  settle ana bob
  force_write "$work/bob/Trip/f" refused
  eventually reads "$work/bob/Trip/f" shared
  reads "$work/ana/Trip/f" shared || fail "it must not be uploaded"
  ana share set-permission "$work/ana/Trip" bob read-write
  eventually participant_is bob "$work/bob/Trip" bob '.permission == "read-write"'
  bob wait --timeout 60
  force_write "$work/bob/Trip/f" allowed
  eventually reads "$work/ana/Trip/f" allowed
  ana share set-permission "$work/ana/Trip" bob read-only
  eventually participant_is bob "$work/bob/Trip" bob '.permission == "read-only"'
  force_write "$work/bob/Trip/f" "refused again"
  eventually reads "$work/bob/Trip/f" allowed
  reads "$work/ana/Trip/f" allowed || fail "the next write must be refused"
}

row 40 'roles: owner, administrator, invited, by link'
row_40() {
  sharing read-write bob cleo
  ana share set-role "$work/ana/Trip" cleo administrator
  expect '[.participants[] | [.handle, .role]] | sort == [["ana", "owner"], ["bob", "participant"],
    ["cleo", "administrator"]]' ana share participants "$work/ana/Trip"
  people dora
  mkdir "$work/ana/Open"
  ana share create "$work/ana/Open" >/dev/null
  ana share set-public "$work/ana/Open" read-write --yes
  as dora share accept "$(ana share link "$work/ana/Open" | tail -n 1)" --at "$work/dora/Open" --wait
  heard ana
  expect '[.participants[] | [.handle, .role]] | sort == [["ana", "owner"], ["dora", "by-link"]]' \
    ana share participants "$work/ana/Open"
}

row 41 'inviting somebody unknown is refused, and never silently dropped'
row_41() {
  people ana bob
  mkdir "$work/ana/Trip"
  ana share create "$work/ana/Trip" >/dev/null
  expect_status unknownItem ana share invite "$work/ana/Trip" nobody
  same "people in the share" 1 \
    "$(value '.share.participants | length' ana share show "$work/ana/Trip")"
  ana share invite "$work/ana/Trip" bob
  expect '[.users[] | [.handle, .name]] == [["ana", "Ana"], ["bob", "Bob"]]' ana user list
}

row 42 'inviting twice is one entry; removing a stranger fails; a removed invitation is dead'
row_42() {
  people ana bob cleo
  mkdir "$work/ana/Trip"
  ana share create "$work/ana/Trip" >/dev/null
  local link
  link=$(ana share invite "$work/ana/Trip" bob --permission read-only | tail -n 1)
  ana share invite "$work/ana/Trip" bob --permission read-write >/dev/null
  expect '[.participants[] | [.handle, .permission, .acceptance]] ==
    [["ana", "read-write", "accepted"], ["bob", "read-write", "pending"]]' \
    ana share participants "$work/ana/Trip"
  expect_status unknownItem ana share remove "$work/ana/Trip" cleo
  ana share remove "$work/ana/Trip" bob
  expect_status permissionFailure bob share accept "$link" --at "$work/bob/Trip"
  eventually holds '.invitations == []' bob share invitations
}

row 43 'share show says who I am in it'
row_43() {
  sharing read-only bob
  expect '.share.me == {role: "owner", permission: "read-write", acceptance: "accepted"}' \
    ana share show "$work/ana/Trip"
  expect '.share.me == {role: "participant", permission: "read-only", acceptance: "accepted"}' \
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

row 46 'can update says yes or no, with the reason, and right without the container too'
row_46() {
  rights_setup
  can "yes" ana update "$work/ana/young" "not mirrored"
  can "yes" ana update "$work/ana/Trip/f" "private, and mine"
  can "yes" ana update "$work/ana/Public/mine" "public, and I made it"
  can "yes" cleo update "$work/cleo/Trip/f" "shared, with permission"
  can "no" bob update "$work/bob/Trip/f" "shared, read-only"
  can "no" bob update "$work/bob/Public/mine" "public, of somebody else"
  hide_cloud
  echo young >"$work/ana/Public/young"
  can "yes" ana update "$work/ana/Public/young" "public, not sent yet"
  can "no" bob update "$work/bob/Trip/f" "offline"
  can "yes" cleo update "$work/cleo/Trip/f" "offline"
  show_cloud
}

# Trip of Ana's, which Bob may read and Cleo write; Bob mirrors what Ana publishes.
rights_setup() {
  sharing read-only bob
  people cleo
  join cleo read-write
  public_folder ana >/dev/null
  public_folder bob ana >/dev/null
  echo f >"$work/ana/Trip/f"
  echo young >"$work/ana/young"
  echo mine >"$work/ana/Public/mine"
  settle ana bob cleo
}

# What `can` answers, by its exit status and in JSON, with a reason.
can() { # yes|no WHO VERB PATH WHAT
  local status=0 answer expected=0
  [ "$1" = yes ] || expected=$(status_of permissionFailure)
  answer=$(as "$2" can "$3" "$4" --json) || status=$?
  same "can $3 where it is $5" "$expected" "$status"
  jq -e '[.. | objects | select(has("reason")) | .reason | length > 0] | all and length > 0' \
    >/dev/null <<<"$answer" || fail "a reason is missing: $answer"
}

row 47 'can delete is accurate'
row_47() {
  rights_setup
  can "no" bob delete "$work/bob/Trip/f" "read-only"
  can "yes" cleo delete "$work/cleo/Trip/f" "read-write"
  can "no" cleo delete "$work/cleo/Trip" "the root of somebody's share"
  can "yes" ana delete "$work/ana/Public/mine" "public, and mine"
  can "no" bob delete "$work/bob/Public/mine" "public, of somebody else"
  rm "$work/cleo/Trip/f"
  settle cleo ana
  is_gone "$work/ana/Trip/f"
}

row 48 'can modify answers for a database, with and without an account'
row_48() {
  people ana
  local scope
  for scope in private shared public; do ana can modify --scope "$scope"; done
  anonymous eve
  for scope in private shared public; do refute eve can modify --scope "$scope"; done
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
