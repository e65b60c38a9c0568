# Rows 98 to 108: the public database. Sourced by `run`.

# Ana publishes a folder; Bob mirrors it, and Eve, who has no account.
public_setup() {
  people ana bob
  anonymous eve
  public_folder ana >/dev/null
  local who
  for who in bob eve; do public_folder "$who" ana >/dev/null; done
}

row 98 'what is published is at subscribers within a second, deletions too'
row_98() {
  public_setup
  echo 1 >"$work/ana/Public/news"
  within 1000 reads "$work/bob/Public/news" 1
  eventually event_came bob import.end
  rm "$work/ana/Public/news"
  within 1000 is_gone "$work/bob/Public/news"
}

row 99 'where nobody notifies, a reader asks after each period, at the cost of one look'
row_99() {
  people ana
  anonymous eve
  sed -i 's/^notifies = .*/notifies = false/; s/^poll-seconds = .*/poll-seconds = 1/' \
    "$work/eve/home/cairn.conf"
  echo 0 >"$work/first"
  ana public put "$work/first" --as first
  public_folder eve ana >/dev/null
  echo 1 >"$work/news"
  ana public put "$work/news" --as news
  # No `wait` by Eve here, which would ask: her own period has to do it.
  within 3000 reads "$work/eve/Public/news" 1
}

row 100 'a deleted file goes from mirrors, and is not only hidden'
row_100() {
  public_setup
  echo 1 >"$work/ana/Public/file"
  settle ana bob eve
  rm "$work/ana/Public/file"
  settle ana bob eve
  is_gone "$work/bob/Public/file"
  is_gone "$work/eve/Public/file"
  expect '.entries == []' bob public list ana
}

row 101 'who was away for long ends equal, and brings nothing back'
row_101() {
  public_setup
  local file
  for file in {1..60}; do echo "$file" >"$work/ana/Public/$file"; done
  settle ana bob
  bob stop
  for file in {1..50}; do rm "$work/ana/Public/$file"; done
  ana wait --timeout 60
  bob start
  settle bob ana
  same_contents "$work/ana/Public" "$work/bob/Public" 10
  same "names" 10 "$(listing "$work/ana/Public" | wc -l)"
}

row 102 'world reads, people with an account publish, the creator alone changes; forgeries are ignored'
row_102() {
  public_setup
  mkdir "$work/bob/Own"
  bob add "$work/bob/Own"
  echo ana >"$work/ana/Public/of-ana"
  settle ana bob eve
  reads "$work/eve/Public/of-ana" ana || fail "anonymous read"
  expect_status permissionFailure bob public remove ana/of-ana
  force_write "$work/bob/Public/of-ana" "bob was here"
  echo own >"$work/bob/Own/own"
  echo new >"$work/bob/of-bob"
  bob public put "$work/bob/of-bob" --as of-ana
  eventually reads "$work/bob/Public/of-ana" ana
  settle bob ana eve
  same "what bob publishes" new "$(eve public get bob/of-ana --output -)"
  expect '.mounts[] | select(.title == "Own") | .work.pendingLocal == 0 and .problems == []' bob status
  # Somebody who can write to the container puts objects of their own into the log.
  local log last
  log=$work/cloud/users/$(value '.account.user' ana status)/public
  last=$(find "$log" -type f -printf '%T@ %f\n' | sort -n | tail -n 1 | cut -d ' ' -f 2)
  cp "$log/$last" "$log/00000000000000000000000000000000"
  noise 500 >"$log/11111111111111111111111111111111"
  echo after >"$work/ana/Public/after"
  settle ana bob eve
  reads "$work/eve/Public/after" after || fail "a forged entry must stop nothing"
  same_contents "$work/ana/Public" "$work/bob/Public" 2
}

row 103 'the public database as plain files with an index, for any web server'
row_103() {
  people ana
  anonymous eve
  mkdir "$work/ana/d"
  noise 100000 >"$work/ana/d/page"
  ana public put "$work/ana/d/page" --as d/page
  eve public export "$work/web"
  local page
  page=$(eve public list ana/d | awk '{ print $NF }')
  cmp "$work/ana/d/page" "$work/web/$page"
  jq -e --arg page "$page" '[.. | objects | select(.path? == $page)] | length == 1' \
    "$work/web/index.json"
}

row 104 'a mirror of one prefix holds only that'
row_104() {
  people ana bob
  mkdir -p "$work/ana/Public/a" "$work/ana/Public/b/c"
  ana public mount "$work/ana/P2" --wait >/dev/null
  mkdir -p "$work/ana/P2/a" "$work/ana/P2/b/c"
  local file
  for file in {1..200}; do echo "$file" >"$work/ana/P2/a/$file"; done
  echo wanted >"$work/ana/P2/b/c/file"
  ana wait --timeout 60
  bob public mount "$work/bob/Public" --author ana --prefix b --wait >/dev/null
  same "what bob has" c/file \
    "$(cd "$work/bob/Public" && find . -path ./.cairn -prune -o -type f -printf '%P\n')"
}

row 105 'the fitting uses of the public database, as the example plays them'
row_105() {
  local said
  said=$(CAIRN_BIN=$binaries "$repository/examples/public-database.sh")
  [[ $said == *'The meeting is on Friday.'* ]] || fail "the example shows no public file"
  refute grep -q FAILED <<<"$said"
}

row 106 'one log an author: an idle look costs the same whatever is in it'
row_106() {
  people ana
  anonymous eve
  public_folder ana >/dev/null
  public_folder eve ana >/dev/null
  settle ana eve
  local few many file
  few=$(microseconds eve wait --timeout 60)
  for file in {1..500}; do : >"$work/ana/Public/$file"; done
  settle ana eve
  many=$(microseconds eve wait --timeout 60)
  at_most "microseconds of an idle look with 500 files, where without them it took $few" \
    $(((few * 3 + 50000) * slack)) "$many"
}

row 107 'reading the public database needs nothing that tells of changes (row 99)'
row_107() { row_99; }

row 108 'hot queries use an index; an index that is gone is made again'
row_108() {
  sharing read-write bob
  local plan
  plan=$(sql ana private "EXPLAIN QUERY PLAN SELECT id FROM record WHERE zone = 1 AND parent = x'00'
    AND name = x'00'")
  grep -q 'USING .*INDEX' <<<"$plan" || fail "the look-up of a name scans: $plan"
  ana stop
  sqlite3 "$work/ana/home/index/private.sqlite" 'DROP INDEX record_child'
  ana start
  echo on >"$work/ana/Trip/on"
  settle ana bob
  reads "$work/bob/Trip/on" on || fail "it must go on"
  [ -n "$(sql ana private "SELECT 1 FROM sqlite_schema WHERE name = 'record_child'")" ]
}
