#!/usr/bin/env bash
# Runs the daemon of Examples/Daemon with its unit under its own systemd, in namespaces that end with it.
#
#   Scripts/supervised.sh PROGRAM UNIT FOLDER    the program, its unit, and a folder for scratch files and logs
#
# Exits with 0 if the daemon did what the unit promises, with 1 if not, and with 77 if this machine does not permit
# such namespaces: they need root and a cgroup file system of version 2.
set -euo pipefail

# The manager and the daemon, both inside the namespaces.
manager() {
  local program=$1 unit=$2 folder=$3 group=$4 type=notify-reload
  local place
  # A manager writes into these when it starts.
  for place in /etc /proc/sys; do
    mount --bind "$place" "$place"
    mount -o remount,bind,ro "$place"
  done
  mount -t tmpfs tmpfs /run
  mount -t tmpfs tmpfs /var/lib
  mount -t cgroup2 cgroup2 /sys/fs/cgroup
  mkdir "/sys/fs/cgroup/$group"
  echo $$ > "/sys/fs/cgroup/$group/cgroup.procs"
  : > "$folder/possible"
  mkdir -p /run/systemd/system /run/daemon
  cp "$program" /run/daemon/daemon
  printf '[Unit]\nDefaultDependencies=no\n' > /run/systemd/system/session.target
  # Before systemd 253, a reload is a command.
  local changes=(-e "s|^ExecStart=.*|ExecStart=/run/daemon/daemon --settings /run/daemon/settings.json|")
  if (($(systemctl --version | awk 'NR == 1 { print $2 }') < 253)); then
    type=notify
    changes+=(-e 's|^Type=notify-reload|Type=notify\nExecReload=kill -HUP $MAINPID|')
  fi
  sed "${changes[@]}" "$unit" > /run/systemd/system/daemon.service
  grep -qx "Type=$type" /run/systemd/system/daemon.service
  mkdir /run/systemd/system/daemon.service.d
  # Without the rest of a system, and with files in place of its log. The last limits keep the test short.
  cat > /run/systemd/system/daemon.service.d/test.conf << END
[Unit]
DefaultDependencies=no
[Service]
StandardOutput=append:$folder/output
StandardError=append:$folder/errors
WatchdogSec=2
TimeoutAbortSec=1
END
  settings news
  {
    set +e
    (story "$folder") > "$folder/story" 2>&1
    systemctl exit
  } &
  export container=docker
  exec /lib/systemd/systemd --system --unit=session.target --log-target=null
}

settings() {
  printf '{ "spool": "/var/lib/daemon/spool", "label": "%s", "pause": 0 }\n' "$1" > /run/daemon/settings.json
  chmod -R a+rX /run/daemon
}

# Waits up to ten seconds for a command to succeed.
eventually() {
  local try
  for ((try = 0; try < 100; try++)); do
    ! "$@" > /dev/null 2>&1 || return 0
    sleep 0.1
  done
  echo "not within ten seconds: $*"
  return 1
}

holds() { [[ $(systemctl show daemon --property "$1") == "$1=$2" ]]; }
prints() { grep -qxF "$2" "$1"; }
put() {
  echo "$1" > /var/lib/daemon/spool/.new
  chmod a+rw /var/lib/daemon/spool/.new
  mv /var/lib/daemon/spool/.new "/var/lib/daemon/spool/$1"
}

# What happens to the daemon. Each line must succeed.
story() {
  set -e
  local folder=$1 process
  eventually systemctl is-active session.target
  systemctl start daemon
  put one
  eventually prints "$folder/output" 'news: one'
  settings weather
  systemctl reload daemon
  put two
  eventually prints "$folder/output" 'weather: two'
  # A crash, and a program that no longer runs.
  systemctl kill --signal=KILL daemon
  eventually holds NRestarts 1
  eventually holds ActiveState active
  systemctl kill --signal=STOP daemon
  eventually holds NRestarts 2
  eventually holds ActiveState active
  put three
  eventually prints "$folder/output" 'weather: three'
  systemctl stop daemon
  holds Result success
  holds ExecMainStatus 0
  # Wrong settings are no reason for another start.
  echo '{}' > /run/daemon/settings.json
  ! systemctl start daemon 2> /dev/null || { echo "started with wrong settings"; return 1; }
  eventually holds ActiveState failed
  holds ExecMainStatus 78
  holds NRestarts 0
  : > "$folder/passed"
}

if [[ ${1:-} == --manager ]]; then
  shift
  manager "$@"
fi
program=$(realpath "$1")
unit=$(realpath "$2")
folder=$(realpath "$3")
group=daemon-$$
rm -f "$folder"/{possible,passed,story,output,errors}
timeout -k 1 120 unshare --mount --pid --net --uts --ipc --fork --kill-child --mount-proc \
  bash "$0" --manager "$program" "$unit" "$folder" "$group" > "$folder/manager.log" 2>&1 || true
[[ -e $folder/possible ]] || { cat "$folder/manager.log"; exit 77; }
# shellcheck disable=SC2016
unshare --mount bash -c 'mount -t cgroup2 cgroup2 /sys/fs/cgroup
  find "/sys/fs/cgroup/$0" -depth -type d -exec rmdir {} \;' "$group" || true
[[ -e $folder/passed ]] || { cat "$folder"/{manager.log,story,errors}; exit 1; }
