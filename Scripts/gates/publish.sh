#!/usr/bin/env bash
# an external package installs the libraries and the packages beside them by URL, and builds from nothing
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

# The packages that the client installs beside the libraries; libnats decides about one of them.
names=(Logging)
if pkg-config --exists libnats 2> /dev/null; then names+=(NATS); fi
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT

# The repositories, each with the tag of a release: the libraries as they are committed, and the split packages.
git clone --quiet --bare . "$place/EventBus.git"
git -C "$place/EventBus.git" tag 1.0.0 "$(git rev-parse HEAD)"
for name in "${names[@]}"; do
  Scripts/publish.sh "$name" "$place" > "$work/publish-$name.log" || fail "Scripts/publish.sh $name, see above"
  repository=$(Scripts/publish.sh --list | awk -v name="$name" '$1 == name { print $2 }')
  git -C "$place/$repository.git" tag 1.0.0 main
done

# The address leads to these repositories, in this process only.
address=$(sed -nE 's|.*url: "(.*)/EventBus", from: .*|\1|p' Integrations/Logging/Package.swift)
[[ -n $address ]] || fail "Integrations/Logging/Package.swift names no address of EventBus"
export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=url.file://$place/.insteadOf GIT_CONFIG_VALUE_0=$address/

client=$place/Client
mkdir -p "$client/Sources/Client"
{
  cat << MANIFEST
// swift-tools-version: 6.3
import PackageDescription

let package = Package(
  name: "Client",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(url: "$address/EventBus", from: "1.0.0"),
    .package(url: "$address/EventBusLogging", from: "1.0.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
MANIFEST
  [[ " ${names[*]} " != *" NATS "* ]] || echo "    .package(url: \"$address/EventBusNATS\", from: \"1.0.0\"),"
  cat << MANIFEST
  ],
  targets: [
    .executableTarget(
      name: "Client",
      dependencies: [
        .product(name: "EventBus", package: "EventBus"),
        .product(name: "LaunchLoader", package: "EventBus"),
        .product(name: "Theming", package: "EventBus"),
        .product(name: "LaunchPictures", package: "EventBus"),
        .product(name: "NotificationCenterBridge", package: "EventBus"),
        .product(name: "ObservationBridge", package: "EventBus"),
        .product(name: "EventBusLogging", package: "EventBusLogging"),
        .product(name: "Logging", package: "swift-log"),
MANIFEST
  [[ " ${names[*]} " != *" NATS "* ]] || echo '        .product(name: "EventBusNATS", package: "EventBusNATS"),'
  printf '%s\n' '      ]' '    )' '  ]' ')'
} > "$client/Package.swift"
{
  printf 'import %s\n' EventBus EventBusLogging LaunchLoader LaunchPictures Logging NotificationCenterBridge \
    ObservationBridge Theming
  [[ " ${names[*]} " != *" NATS "* ]] || echo 'import EventBusNATS'
  cat << 'PROGRAM'

let bus = EventBus()
let name = EventName<Int>("client.didCount")
let logs = bus.startLogging(to: Logger(label: "client") { _ in SwiftLogNoOpLogHandler() })
let token = bus.observe(name) { number in print("heard \(number)") }
bus.post(name, 42)
token.cancel()
logs.cancel()
let loader = LaunchLoader()
loader.register("work") { _ in print("worked") }
print(try loader.plan().svg.hasPrefix("<svg"))
_ = try await loader.launch()
PROGRAM
} > "$client/Sources/Client/main.swift"

output=$(swift run --package-path "$client" --cache-path "$place/cache" --config-path "$place/config" \
  --security-path "$place/security" Client 2> "$work/publish-client.log") \
  || fail "the client does not build: $(grep -m 5 -E 'error' "$work/publish-client.log" || tail -5 "$work/publish-client.log")"
[[ $output == $'heard 42\ntrue\nworked' ]] || fail "the client printed: $output"
! grep -q 'warning:.*[Ii]dentity' "$work/publish-client.log" || fail "identities conflict: $(grep -m 3 dentity "$work/publish-client.log")"
echo "The libraries and ${names[*]} by URL, from nothing."
