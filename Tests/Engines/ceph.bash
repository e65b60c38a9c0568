# Ceph on the loopback interface, from Debian's packages (ceph-mon, ceph-osd, radosgw, ceph-common):
# one monitor, some OSDs with files as disks, and one gateway. Sourced by `run`.

ceph_port=17480
# The gateway's address. Only this machine reaches it, unless the sourcing script has its own
# network.
ceph_address=${ceph_address:-127.0.0.1}
# Further configuration of its gateway, such as `tcp_nodelay=1`.
ceph_gateway=${ceph_gateway:-}

ceph_configuration() { # OSDS
  cat <<END
[global]
fsid = $(cat /proc/sys/kernel/random/uuid)
mon host = v2:127.0.0.1:13300
public addr = 127.0.0.1
osd pool default size = $1
osd pool default min size = $(($1 > 1 ? 2 : 1))
osd pool default pg num = 8
osd pool default pg autoscale mode = off
osd crush chooseleaf type = 0
mon allow pool size one = true
osd heartbeat grace = 5
mon osd min down reporters = 1
run dir = $world/ceph/run
admin socket = $world/ceph/run/\$name.asok
pid file = $world/ceph/run/\$name.pid
log file = $world/ceph/log/\$name.log
keyring = $world/ceph/keyring
[mon]
mon data = $world/ceph/mon
mon cluster log file = $world/ceph/log/cluster.log
[osd]
osd data = $world/ceph/osd.\$id
osd objectstore = bluestore
bluestore block create = true
bluestore block size = 4294967296
osd memory target = 939524096
[mds]
mds data = $world/ceph/mds
[client.rgw]
rgw frontends = beast endpoint=$ceph_address:$ceph_port $ceph_gateway
END
}

begin_ceph() { # OSDS
  local osd fsid keys=$world/ceph/keyring
  mkdir -p "$world"/ceph/{mon,run,log}
  export CEPH_CONF=$world/ceph/ceph.conf
  ceph_configuration "$1" >"$CEPH_CONF"
  fsid=$(sed -n 's/^fsid = //p' "$CEPH_CONF")
  {
    ceph-authtool --create-keyring "$keys" --gen-key -n mon. --cap mon 'allow *'
    ceph-authtool "$keys" --gen-key -n client.admin --cap mon 'allow *' --cap osd 'allow *' \
      --cap mds 'allow *'
    ceph-authtool "$keys" --gen-key -n client.rgw --cap mon 'allow *' --cap osd 'allow *'
    for ((osd = 0; osd < $1; osd++)); do
      ceph-authtool "$keys" --gen-key -n "osd.$osd" --cap mon 'allow profile osd' --cap osd 'allow *'
    done
    monmaptool --create --fsid "$fsid" --addv a '[v2:127.0.0.1:13300]' "$world/ceph/monmap"
    ceph-mon --mkfs -i a --monmap "$world/ceph/monmap" --keyring "$keys"
    ceph-mon -i a
    timeout 60 ceph auth import -i "$keys"
    for ((osd = 0; osd < $1; osd++)); do begin_osd "$osd"; done
    timeout 120 radosgw -n client.rgw
  } >>"$world/ceph.log" 2>&1
  await "curl -fso /dev/null http://127.0.0.1:$ceph_port/" "an answer of Ceph's gateway"
}

begin_osd() { # NUMBER
  local id
  if [ ! -e "$world/ceph/osd.$1/ready" ]; then
    mkdir -p "$world/ceph/osd.$1"
    id=$(cat /proc/sys/kernel/random/uuid)
    timeout 60 ceph osd new "$id"
    ceph-osd -i "$1" --mkfs --osd-uuid "$id"
  fi
  ceph-osd -i "$1"
}

# Starts CephFS beside it, with one metadata server.
begin_mds() {
  local pool keys=$world/ceph/keyring
  mkdir -p "$world/ceph/mds"
  {
    ceph-authtool "$keys" --gen-key -n mds.a --cap mon 'allow profile mds' --cap osd 'allow rwx' \
      --cap mds 'allow'
    timeout 60 ceph auth import -i "$keys"
    for pool in metadata data; do timeout 60 ceph osd pool create "$pool" 8; done
    timeout 60 ceph fs new cairn metadata data
    ceph-mds -i a
  } >>"$world/ceph.log" 2>&1
  await "timeout 20 ceph mds stat | grep -q 'up:active'" "a server of CephFS's metadata"
}

# A key of a user of the gateway's: `ID SECRET`.
ceph_user() { # NAME
  timeout 60 radosgw-admin user create --uid "$1" --display-name "$1" 2>>"$world/ceph.log" |
    jq -r '.keys[0] | "\(.access_key) \(.secret_key)"'
}

# Kills one OSD as a power cut would, and starts it again.
kill_osd() { kill -KILL "$(cat "$world/ceph/run/osd.$1.pid")"; }

end_ceph() {
  local file pid
  for file in "$world"/ceph/run/client.rgw*.pid "$world"/ceph/run/mds.*.pid \
    "$world"/ceph/run/osd.*.pid "$world"/ceph/run/mon.*.pid; do
    [ -e "$file" ] || continue
    pid=$(cat "$file")
    kill "$pid" 2>/dev/null || continue
    timeout 30 tail --pid="$pid" -s 0.1 -f /dev/null || kill -KILL "$pid" 2>/dev/null || true
  done
}
