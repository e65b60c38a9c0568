# Rows W1 to W11: what people wish for in any program that shares folders. Sourced by `run`.

row W1 'a device has a part of a share from the beginning; what it lacks is deleted for nobody'
row_W1() {
  sharing read-write bob
  people cleo
  mkdir -p "$work/ana/Trip/docs" "$work/ana/Trip/film/raw"
  echo text >"$work/ana/Trip/docs/a"
  echo film >"$work/ana/Trip/film/raw/x"
  settle ana bob
  local link
  link=$(ana share invite "$work/ana/Trip" cleo | tail -n 1)
  expect_status unknownItem cleo share accept "$link" --at "$work/cleo/Trip" --only nosuch
  cleo share accept "$link" --at "$work/cleo/Trip" --only docs --wait
  same "names at Cleo's" docs "$(ls "$work/cleo/Trip")"
  mv "$work/bob/Trip/film/raw" "$work/bob/Trip/film/old"
  settle bob ana cleo
  same "names at Cleo's" docs "$(ls "$work/cleo/Trip")"
  same "what isn't at Cleo's" 1 "$(value '.mounts[0].ignored.leftOut.files' cleo status)"
  cleo get "$work/cleo/Trip/film/old/x"
  reads "$work/cleo/Trip/film/old/x" film || fail "the file that was asked for"
  cleo select "$work/cleo/Trip" --without film
  settle cleo ana bob
  [ ! -e "$work/cleo/Trip/film" ] || fail "it is still at Cleo's"
  reads "$work/bob/Trip/film/old/x" film || fail "it is gone at Bob's"
  local code
  code=$(bob device link | tail -n 1)
  as laptop device join "$code" --container "$(place)" --at "$work/laptop" --only Trip/docs >/dev/null
  as laptop wait --timeout 60
  same "names at Bob's laptop" docs "$(ls "$work/laptop/Trip")"
}

row W2 'rules of one device hide files there, and delete nothing'
row_W2() {
  sharing read-write bob
  mkdir "$work/ana/Trip/build"
  echo theirs >"$work/ana/Trip/build/x"
  settle ana bob
  echo 'build/' >"$work/bob/Trip/.cairnignore.local"
  echo mine >"$work/bob/Trip/build/y"
  settle bob ana
  rm -r "$work/bob/Trip/build"
  settle bob ana
  same "names at Ana's" x "$(ls "$work/ana/Trip/build")"
  [ ! -e "$work/ana/Trip/.cairnignore.local" ] || fail "the rules were sent"
  rm "$work/bob/Trip/.cairnignore.local"
  settle bob
  reads "$work/bob/Trip/build/x" theirs || fail "it must come again"
}

row W3 'all that a person has of mine is shown and ended by one command, and ends by a date'
row_W3() {
  sharing read-write bob cleo
  mkdir "$work/ana/Other"
  ana share create "$work/ana/Other" >/dev/null
  ana share invite "$work/ana/Other" bob >/dev/null
  expect '[.shares[] | [.title, .acceptance]] == [["Other", "pending"], ["Trip", "accepted"]]' \
    ana user show bob
  expect '(.shares | length) == 2 and .missed == []' ana user remove bob
  eventually is_gone "$work/bob/Trip"
  expect '.invitations == []' bob share invitations
  expect '.shares == []' ana user show bob
  ana share set-permission "$work/ana/Trip" cleo read-only \
    --until "$(date -d '+2 seconds' +%Y-%m-%dT%H:%M:%S)"
  eventually is_gone "$work/cleo/Trip"
}

row W4 'a text that two people edit in different lines is merged, and otherwise both are in one editor'
row_W4() {
  sharing read-write bob
  printf '%s\n' one two three four five >"$work/ana/Trip/plan.txt"
  settle ana bob
  bob stop
  sed -i 's/one/ONE/' "$work/ana/Trip/plan.txt"
  ana wait --timeout 60
  sed -i 's/five/FIVE/' "$work/bob/Trip/plan.txt"
  bob start
  settle bob ana
  same_tree "$work/ana/Trip" "$work/bob/Trip" 1
  same "the text" 'ONE two three four FIVE' "$(tr '\n' ' ' <"$work/ana/Trip/plan.txt" | sed 's/ $//')"
  event_came bob merged || fail "no event"
  expect '.entries | length >= 3' ana history "$work/ana/Trip/plan.txt"
  bob stop
  sed -i 's/three/3/' "$work/ana/Trip/plan.txt"
  ana wait --timeout 60
  sed -i 's/three/III/' "$work/bob/Trip/plan.txt"
  bob start
  settle bob ana
  local copy
  copy=$(value '.conflicts[0].copy.path' bob conflicts)
  expect '.parts == 1' bob conflicts merge "$copy"
  EDITOR=true refute bob conflicts merge "$copy"
  EDITOR="sed -i '/^[<=>]\{7\}/d'" bob conflicts merge "$copy" >/dev/null
  settle bob ana
  same_tree "$work/ana/Trip" "$work/bob/Trip" 1
  same "the text" 'ONE two 3 III four FIVE' \
    "$(tr '\n' ' ' <"$work/ana/Trip/plan.txt" | sed 's/ $//')"
  same "conflicts" 0 "$(value '.conflicts | length' ana conflicts)"
}

row W5 'a person who lost every device comes back with a sheet of paper and the container'
row_W5() {
  sharing read-write bob
  echo mine >"$work/ana/Trip/a"
  settle ana bob
  ana device recovery --to "$work/sheet.html" >/dev/null
  same "the mode of the sheet" 600 "$(stat -c %a "$work/sheet.html")"
  local words
  words=$(ana device recovery --name spare --json | jq -r '.words | join(" ")')
  expect '[.devices[] | select(.isRecovery) | .isActive] == [true, true]' ana device list
  expect '.device.name == "spare"' ana device recovery --test <<<"$words"
  ana stop
  rm -r "$work/ana/home" "$work/ana/Trip"
  echo later >"$work/bob/Trip/b"
  settle bob
  expect '.account.handle == "ana" and .sheet.name == "spare" and (.devices | length) == 1' \
    anew init --recover --container "$(place)" --at "$work/anew" <<<"$words"
  as anew wait --timeout 60
  reads "$work/anew/Trip/a" mine || fail "her file"
  reads "$work/anew/Trip/b" later || fail "what Bob wrote meanwhile"
  as anew device revoke spare >/dev/null
  refute as anew device recovery --test <<<"$words"
  expect_status permissionFailure third init --recover --container "$(place)" --at "$work/third" \
    <<<"$words"
}

row W6 'a share that is not mirrored is listed at once, and a file is fetched when it is opened'
row_W6() {
  sharing read-write bob
  mkdir "$work/ana/Trip/docs"
  echo text >"$work/ana/Trip/docs/a"
  head -c 4000000 /dev/urandom >"$work/ana/Trip/film"
  settle ana bob
  local share view=$work/bob/view
  share=$(value .share.id ana share show "$work/ana/Trip")
  bob remove "$work/bob/Trip" >/dev/null
  if ! [ -w /dev/fuse ] || ! command -v fusermount3 >/dev/null || ! bob mount "$share" "$view"; then
    # A build without libfuse3-dev says so.
    [ ! -w /dev/fuse ] || expect_status notRunning bob mount "$share" "$view"
    return
  fi
  same "names in the view" 'docs film ' "$(ls "$view" | tr '\n' ' ')"
  reads "$view/docs/a" text || fail "the file in the view"
  [ "$(du -s -B1 "$work/bob/home/views" | cut -f 1)" -lt 1000000 ] || fail "more was fetched"
  echo mine >"$view/docs/b"
  settle ana
  reads "$work/ana/Trip/docs/b" mine || fail "the file that was written in the view"
  echo more >"$work/ana/Trip/docs/a"
  ana wait --timeout 60
  eventually grep -qx more "$view/docs/a"
  cmp "$view/film" "$work/ana/Trip/film" || fail "the large file"
  expect '.views == []' bob mount --end "$view"
}

row W7 'two containers in one home: one daemon, and commands that find their container'
row_W7() {
  sharing read-write bob
  local person link
  for person in ana bob; do
    as "$person" init --container "$work/TWO" --as office --name "$person" --handle "$person" \
      >/dev/null
  done
  mkdir "$work/ana/Office"
  echo plan >"$work/ana/Office/plan"
  expect_status ambiguousContainer ana share create "$work/ana/Office"
  ana --container office share create "$work/ana/Office" >/dev/null
  link=$(as ana share invite "$work/ana/Office" bob --permission read-write | tail -n 1)
  bob share accept "$link" --at "$work/bob/Office" --wait >/dev/null
  echo 'by bob' >"$work/bob/Office/his"
  echo trip >"$work/bob/Trip/his"
  settle bob ana
  reads "$work/ana/Office/his" 'by bob' || fail "the file in the second container"
  reads "$work/ana/Trip/his" trip || fail "the file in the first container"
  expect '[.containers[] | .folders] == [1, 1]' bob container list
  said bob status | grep -qx 'office:' || fail "the status must name the containers"
  bob container remove office >/dev/null
  reads "$work/bob/Office/plan" plan || fail "a removed container must leave the files"
  expect '.mounts | length == 1' bob status
}

row W8 'anybody with a link puts files into a drop box, and its owner alone reads and accepts them'
row_W8() {
  sharing read-write bob
  mkdir "$work/ana/Trip/in"
  settle ana bob
  local link
  link=$(ana drop create "$work/ana/Trip/in" --max-size 1k --max-files 2 | tail -n 1)
  echo secret >"$work/letter"
  # A home that was never set up.
  as third drop put "$link" "$work/letter" --container "$(place)" >/dev/null
  as bob drop put "$link" "$work/letter" >/dev/null
  expect_status limitExceeded bob drop put "$link" "$work/letter"
  head -c 2000 /dev/zero >"$work/large"
  expect_status limitExceeded bob drop put "$link" "$work/large"
  expect '([.drops[].from.handle] | sort) == [null, "bob"] and .drops[0].name == "letter"' ana drop list
  expect '.boxes == [] and .drops == []' bob drop list
  [ -z "$(ls "$work/bob/Trip/in")" ] || fail "a file that nobody accepted"
  ana drop accept --all >/dev/null
  settle ana bob
  same "accepted files" 'letter letter 2 ' "$(ls "$work/bob/Trip/in" | tr '\n' ' ')"
  reads "$work/bob/Trip/in/letter 2" secret || fail "the second letter"
  as bob drop put "$link" "$work/letter" >/dev/null
  ana drop discard --all >/dev/null
  ana drop end "$(value '.boxes[0].id' ana drop list)" --yes >/dev/null
  expect_status permissionFailure bob drop put "$link" "$work/letter"
}

row W9 'others see who has a file open; its lock file goes nowhere, and an end of the daemon ends it'
row_W9() {
  sharing read-write bob
  echo text >"$work/ana/Trip/report.odt"
  settle ana bob
  echo ',bob,his,now,;' >"$work/bob/Trip/.~lock.report.odt#"
  eventually event_came ana file.opened
  expect '.paths[0].openBy | length == 1 and .[0].person.handle == "bob"' \
    ana stat "$work/ana/Trip/report.odt"
  expect '[.entries[] | select(.openBy) | .path] | length == 1' ana ls "$work/ana/Trip"
  settle bob ana
  [ ! -e "$work/ana/Trip/.~lock.report.odt#" ] || fail "the lock file arrived"
  bob stop >/dev/null
  eventually event_came ana file.closed
  expect '.paths[0] | has("openBy") | not' ana stat "$work/ana/Trip/report.odt"
}

row W10 'a successor takes a share over unless the owner refuses; of several people, most must agree'
row_W10() {
  sharing read-write bob cleo
  expect_status permissionFailure bob share successor "$work/bob/Trip" --claim
  ana share successor "$work/ana/Trip" bob >/dev/null
  eventually holds '.share.succession | ([.people[].handle] == ["bob"] and .needed == 1
    and .waitSeconds == 1209600)' cleo share show "$work/cleo/Trip"
  settle bob
  expect_status permissionFailure bob share successor "$work/bob/Trip" --take-over
  bob share successor "$work/bob/Trip" --claim >/dev/null
  eventually event_came ana share.claimed
  eventually event_came cleo share.claimed
  expect '.mounts[0].succession.claims[0] | .person.handle == "bob" and .isConfirmed' ana status
  # The waiting time isn't over, and then she refuses.
  expect_status permissionFailure bob share successor "$work/bob/Trip" --take-over
  ana share successor "$work/ana/Trip" --refuse >/dev/null
  settle ana bob
  expect '.share.succession | .claims == [] and (.people | length) == 1' bob share show "$work/bob/Trip"
  expect_status permissionFailure bob share successor "$work/bob/Trip" --take-over
  ana share successor "$work/ana/Trip" bob cleo --after none >/dev/null
  settle ana bob cleo
  ana stop
  bob share successor "$work/bob/Trip" --claim >/dev/null
  expect_status permissionFailure bob share successor "$work/bob/Trip" --take-over
  settle bob cleo
  expect '.share.succession.claims[0].confirmedBy | length == 2' \
    cleo share successor "$work/cleo/Trip" --confirm bob
  settle cleo bob
  expect '.share.me.role == "owner" and (.share | has("succession") | not)' \
    bob share successor "$work/bob/Trip" --take-over
  echo later >"$work/ana/Trip/later"
  ana start
  eventually holds '.share.me.role == "participant" and .share.owner.handle == "bob"' \
    ana share show "$work/ana/Trip"
  settle ana bob cleo
  same_contents "$work/ana/Trip" "$work/cleo/Trip" 1
  expect_status permissionFailure ana share successor "$work/ana/Trip" cleo
}

row W11 'modes and attributes travel to those who chose them, and give nobody more rights'
row_W11() {
  local link tags=no
  umask 022
  people ana bob cleo
  mkdir "$work/ana/Tools"
  echo secret >"$work/ana/Tools/key"
  chmod 600 "$work/ana/Tools/key"
  echo all >"$work/ana/Tools/all"
  chmod 666 "$work/ana/Tools/all"
  truncate -s 8M "$work/ana/Tools/sparse"
  # Not every file system has attributes.
  if tag "$work/ana/Tools/key" user.tag red; then tags=yes; fi
  ana share create "$work/ana/Tools" --full-metadata >/dev/null
  settle ana
  link=$(ana share invite "$work/ana/Tools" bob | tail -n 1)
  bob share accept "$link" --at "$work/bob/Tools" --full-metadata --wait >/dev/null
  link=$(ana share invite "$work/ana/Tools" cleo | tail -n 1)
  cleo share accept "$link" --at "$work/cleo/Tools" --wait >/dev/null
  settle ana bob cleo
  same "the key's mode at Bob's" 600 "$(mode_of "$work/bob/Tools/key")"
  same "the key's mode at Cleo's" 644 "$(mode_of "$work/cleo/Tools/key")"
  same "the mode of a file for all at Bob's" 644 "$(mode_of "$work/bob/Tools/all")"
  at_most "the blocks of a sparse file" 128 "$(stat -c %b "$work/bob/Tools/sparse")"
  expect '.carried == ["mode", "extended"] and .applied == .carried and .owned' \
    ana metadata "$work/ana/Tools"
  expect '.applied == [] and (.chosen | not)' cleo metadata "$work/cleo/Tools"
  # Nobody sends back what their device left out.
  settle bob ana
  same "the mode of a file for all at Ana's" 666 "$(mode_of "$work/ana/Tools/all")"
  chmod 640 "$work/bob/Tools/key"
  eventually has_mode "$work/ana/Tools/key" 640
  expect '.entries[0].what == ["attributes"] and .entries[0].author.handle == "bob"' \
    ana history "$work/ana/Tools/key"
  same "the key's mode at Cleo's" 644 "$(mode_of "$work/cleo/Tools/key")"
  if [ "$tags" = yes ]; then
    same "the attribute at Bob's" red "$(tag_of "$work/bob/Tools/key" user.tag)"
    tag "$work/bob/Tools/key" user.tag blue
    eventually has_tag "$work/ana/Tools/key" blue
    refute has_tag "$work/cleo/Tools/key" blue
  fi
  cleo metadata "$work/cleo/Tools" --full >/dev/null
  eventually has_mode "$work/cleo/Tools/key" 640
  ana metadata "$work/ana/Tools" --basic >/dev/null
  chmod 600 "$work/ana/Tools/key"
  settle ana bob cleo
  same "the key's mode at Bob's" 640 "$(mode_of "$work/bob/Tools/key")"
  expect '.carried == [] and .chosen' bob metadata "$work/bob/Tools"
}

mode_of() { stat -c %a "$1"; }                  # FILE
has_mode() { [ "$(mode_of "$1")" = "$2" ]; }    # FILE MODE
has_tag() { [ "$(tag_of "$1" user.tag)" = "$2" ]; } # FILE VALUE
tag() { # FILE NAME VALUE
  python3 -c 'import os, sys; os.setxattr(sys.argv[1], sys.argv[2], sys.argv[3].encode())' "$@"
}
tag_of() { # FILE NAME
  python3 -c 'import os, sys; print(os.getxattr(sys.argv[1], sys.argv[2]).decode())' "$@" || true
}
