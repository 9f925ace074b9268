#!/usr/bin/env bash
# an external package installs the libraries and a package beside them by URL, and builds from nothing
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT

# The repositories, each with the tag of a release: the libraries as they are committed, and the split packages, of
# which the client installs one.
git clone --quiet --bare . "$place/EventBus.git"
git -C "$place/EventBus.git" tag 1.0.0 "$(git rev-parse HEAD)"
while read -r name repository; do
  Scripts/publish.sh "$name" "$place" > "$work/publish-$name.log" || fail "Scripts/publish.sh $name, see above"
  git -C "$place/$repository.git" tag 1.0.0 main
done < <(Scripts/publish.sh --list)

# The address of the manifests leads to these repositories, in this process only.
address=$(sed -nE 's|.*url: "(.*)/EventBus", from: .*|\1|p' Integrations/Logging/Package.swift)
[[ -n $address ]] || fail "Integrations/Logging/Package.swift names no address of EventBus"
export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=url.file://$place/.insteadOf GIT_CONFIG_VALUE_0=$address/
client=$place/Client
cp -r Tests/Fixtures/Installed "$client"
sed -i "s|ADDRESS|$address|" "$client/Package.swift"
log=$work/publish-client.log
output=$(swift run --package-path "$client" --cache-path "$place/cache" --config-path "$place/config" \
  --security-path "$place/security" Client 2> "$log") \
  || fail "the client does not build: $(grep -m 5 error "$log" || tail -n 5 "$log")"
[[ $output == $'heard 42\ntrue\nworked' ]] || fail "the client printed: $output"
! grep -q 'warning:.*[Ii]dentity' "$log" || fail "identities conflict: $(grep -m 3 dentity "$log")"
echo "The libraries and EventBusLogging by URL, from nothing."
