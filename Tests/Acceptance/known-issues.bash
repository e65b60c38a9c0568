# K1 to K10: issues that sharing with CloudKit is known for, each of which must be absent here. Sourced
# by `run`.

row K1 'who joins by a link gets everything that was there before it was shared'
row_K1() {
  people ana cleo
  mkdir -p "$work/ana/Trip/empty"
  local file
  for file in {1..50}; do
    mkdir -p "$work/ana/Trip/$((file % 7))/$((file % 3))"
    echo "$file" >"$work/ana/Trip/$((file % 7))/$((file % 3))/$file"
  done
  ana share create "$work/ana/Trip" >/dev/null
  ana wait --timeout 60
  ana share set-public "$work/ana/Trip" read-only --yes
  cleo share accept "$(ana share link "$work/ana/Trip" | tail -n 1)" --at "$work/cleo/Trip" --wait
  same_contents "$work/ana/Trip" "$work/cleo/Trip" 70
  is_there "$work/cleo/Trip/empty"
}

row K2 'every way to hand out a link opens for a valid account'
row_K2() {
  people ana bob cleo dora
  mkdir "$work/ana/Trip"
  ana share create "$work/ana/Trip" >/dev/null
  bob share accept "$(ana share invite "$work/ana/Trip" bob | tail -n 1)" --at "$work/bob/Trip"
  value .link ana share invite "$work/ana/Trip" cleo >"$work/link"
  cleo share accept "$work/link" --at "$work/cleo/Trip"
  ana share set-public "$work/ana/Trip" read-only --yes
  dora share accept "$(ana share link "$work/ana/Trip" | tail -n 1)" --at "$work/dora/Trip" --wait
  expect '.participants | length == 4' ana share participants "$work/ana/Trip"
}
dora() { as dora "$@"; }

row K3 'a link is accepted as an argument, from standard input and from a file, daemon or not'
row_K3() {
  local who link
  people ana
  mkdir "$work/ana/Trip"
  ana share create "$work/ana/Trip" >/dev/null
  for who in bob cleo dora eve; do
    people "$who"
    link=$(ana share invite "$work/ana/Trip" "$who" | tail -n 1)
    case $who in
      bob) bob share accept "$link" --at "$work/bob/Trip" --wait ;;
      cleo) cleo start && cleo share accept - --at "$work/cleo/Trip" --wait <<<"$link" ;;
      dora) echo "$link" >"$work/l" && dora share accept "$work/l" --at "$work/dora/Trip" --wait ;;
      eve) ana stop && eve share accept "$link" --at "$work/eve/Trip" --wait ;;
    esac
  done
  expect '.participants | length == 5' ana share participants "$work/ana/Trip"
}

row K4 'after a removal the share can be managed at once, again and again'
row_K4() {
  sharing read-write bob
  people cleo
  local trip=$work/ana/Trip round
  for round in 1 2; do
    limited ana share remove "$trip" bob
    limited ana share show "$trip"
    limited ana share invite "$trip" cleo
    limited ana share set-permission "$trip" cleo read-only
    limited ana share remove "$trip" cleo
    limited ana share invite "$trip" bob
    eventually is_gone "$work/bob/Trip/.cairn"
    rm -rf "$work/bob/Trip"
    join bob read-write
  done
  echo again >"$trip/again"
  settle ana bob
  reads "$work/bob/Trip/again" again || fail "the share must work after that"
}

# A command that must succeed within 250 ms.
limited() { # WHO COMMAND …
  at_most "milliseconds of $*" $((250 * slack)) $(($(answer_time "$@") / 1000))
}

row K5 'stopping a share of many files stores nothing again and can be undone at once'
row_K5() {
  people ana bob
  mkdir "$work/ana/Trip"
  local file before
  for file in {1..2000}; do echo "$file" >"$work/ana/Trip/$file"; done
  ana share create "$work/ana/Trip" >/dev/null
  join bob read-write
  settle ana bob
  before=$(cloud_bytes)
  at_most "milliseconds of share stop" $((1000 * slack)) \
    $(($(answer_time ana share stop "$work/ana/Trip") / 1000))
  at_most "bytes that stopping adds" 50000 $(($(cloud_bytes) - before))
  expect '.shares == []' ana share list
  eventually holds '.shares == []' bob share list
  ana share create "$work/ana/Trip" >/dev/null
  eventually is_gone "$work/bob/Trip/1"
  rm -rf "$work/bob/Trip"
  join bob read-write
  settle ana bob
  same_contents "$work/ana/Trip" "$work/bob/Trip" 2000
}

row K6 'removal while a file is open for writing: cleared, rescued, told, and nothing crashes'
row_K6() {
  sharing read-write bob
  echo shared >"$work/ana/Trip/file"
  mkdir "$work/bob/Own"
  bob add "$work/bob/Own"
  settle ana bob
  local pid
  pid=$(daemon bob)
  exec 7>>"$work/bob/Trip/file"
  printf 'dirty bytes of bob\n' >&7
  ana share remove "$work/ana/Trip" bob
  within 1000 is_gone "$work/bob/Trip/file"
  printf 'more\n' >&7 || true
  exec 7>&-
  eventually event_came bob share.revoked
  same "the daemon" "$pid" "$(daemon bob)"
  eventually grep -rqF 'dirty bytes of bob' "$work/bob" "$work/ana/Trip"
  echo on >"$work/bob/Own/on"
  bob wait --timeout 60 "$work/bob/Own"
}

row K7 'who leaves has nothing left at once, and can take part again'
row_K7() {
  sharing read-write bob
  echo x >"$work/ana/Trip/x"
  settle ana bob
  bob share leave "$work/bob/Trip"
  eventually is_gone "$work/bob/Trip/x"
  expect '.shares == [] ' bob share list
  expect '.mounts == []' bob status
  eventually holds '.zones == []' bob zones
  rm -rf "$work/bob/Trip"
  join bob read-write
  settle ana bob
  same_tree "$work/ana/Trip" "$work/bob/Trip" 1
}

row K8 'a refused change stops nothing else (row 50)'
row_K8() { row_50; }

row K9 'who is removed by the owner is told (row 61)'
row_K9() { row_61; }

row K10 'three people edit at random; nobody restarts anything; all have the same'
row_K10() {
  sharing read-write bob cleo
  RANDOM=42
  local step who name
  for step in {1..900}; do
    case $((RANDOM % 3)) in 0) who=ana ;; 1) who=bob ;; *) who=cleo ;; esac
    name=$work/$who/Trip/d$((RANDOM % 4))
    case $((RANDOM % 6)) in
      0) mkdir -p "$name" ;;
      1) rm -rf "$name/$((RANDOM % 9))" ;;
      2) mv -T "$name" "$work/$who/Trip/d$((RANDOM % 4))" 2>/dev/null || true ;;
      *) mkdir -p "$name" && echo "$step by $who" >"$name/$((RANDOM % 9))" ;;
    esac
  done
  settle ana bob cleo
  settle ana bob cleo
  same_tree "$work/ana/Trip" "$work/bob/Trip" 1
  same_tree "$work/ana/Trip" "$work/cleo/Trip" 1
}
