#!/usr/bin/env bash
# Checks that every gate can fail: plants one fault for each, in a copy of the tree where the gate passes without it.
#
#   Scripts/test-gates.sh                  the quick gates
#   Scripts/test-gates.sh --full           all gates (takes as long as two runs of check.sh --full)
#   Scripts/test-gates.sh words layers     only these
#
# The gate must fail, and its output must name the fault. The gate `faults` needs none: it plants faults itself. The
# gate `integrations` only passes on what other scripts count.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD

# Everything that a fault needs is text of the shell, run in the copy: plant GATE MESSAGE <<'FAULT'
# A further fault of a gate has a name of two parts: plant GATE:PART MESSAGE <<'FAULT'
declare -A faults=() messages=()
order=()
plant() {
  order+=("$1")
  messages[$1]=$2
  faults[$1]=$(cat)
}

plant format Indentation << 'FAULT'
printf 'enum Planted {\n   case here\n}\n' > Sources/EventBus/Kit/Planted.swift
FAULT
plant words 'Planted.swift:2: await Task.yield' << 'FAULT'
printf 'func planted() async { for _ in 0..<9 {\nawait Task.yield()\n} }\n' > Tests/EventBusTests/Planted.swift
FAULT
plant words:prose 'Planted.swift:1: .*box of its own' << 'FAULT'
printf '/// A value that has a box of its\n/// own, which nothing shares.\nenum Planted {}\n' > Sources/EventBus/Kit/Planted.swift
FAULT
plant measure 'TOO MANY' << 'FAULT'
for n in {1..399}; do echo "let planted$n = $n"; done > Sources/EventBus/Kit/Planted.swift
FAULT
plant build 'never used|never mutated' << 'FAULT'
echo 'func planted() { let number = 1 }' > Tests/ThemingTests/Planted.swift
FAULT
plant layers 'EventBus/Kit uses more' << 'FAULT'
echo 'func planted(_ token: Token) {}' > Sources/EventBus/Kit/Planted.swift
FAULT
plant platforms 'without #if objectFormat' << 'FAULT'
sed -i '/^#if objectFormat/,/^#else$/d; /^#endif$/d' Examples/Skins/Logbook.swift
FAULT
plant snippets 'ended with status' << 'FAULT'
printf '// snippet.hide\nprecondition(CommandLine.arguments.isEmpty, "planted")\n' \
  >> Documentation/Snippets/EventBus/PostAndObserve.swift
FAULT
plant misuse 'EventBusMisuse.swift:[0-9]+.*expected warning not produced' << 'FAULT'
sed -i 's/^  public func observeAll(/  @discardableResult\n&/' Sources/EventBus/Bus/EventBus.swift
FAULT
plant clients 'crosses into main actor-isolated code' << 'FAULT'
sed -i 's/func applicationDidBecomeActive(_ app: AppHost) async$/func applicationDidBecomeActive(_ app: AppHost)/' \
  Sources/LaunchLoader/Lifecycle/AppHostDelegate.swift
FAULT
plant api 'public API of Theming' << 'FAULT'
printf '/// Planted.\npublic enum Planted: Sendable {}\n' > Sources/Theming/Themes/Planted.swift
FAULT
plant documentation 'Planted.swift:1: Planted' << 'FAULT'
echo 'public enum Planted {}' > Sources/EventBus/Kit/Planted.swift
FAULT
plant demo 'story of skins .*differs' << 'FAULT'
sed -i 's/"A switch sets /"A switch set /' Examples/Skins/Story+Switching.swift
FAULT
plant tests 'Test "Planted".* failed after' << 'FAULT'
printf 'import Testing\n\n@Test("Planted") func planted() { #expect(Bool(false)) }\n' > Tests/EventBusTests/Planted.swift
FAULT
# A test that fails only when it is optimized itself.
optimized='func isOptimized() -> Bool {
  var debug = false
  assert({ debug = true; return true }())
  return !debug
}'
plant storms 'Test "Planted".* failed after' << FAULT
printf '%s\n' 'import Testing' '$optimized' '@Test("Planted") func planted() { #expect(!isOptimized()) }' \
  > Tests/EventBusTests/PlantedStormTests.swift
FAULT
plant tests-release 'Test "Planted".* failed after' << FAULT
printf '%s\n' 'import Testing' '$optimized' '@Test("Planted") func planted() { #expect(!isOptimized()) }' \
  > Tests/EventBusTests/PlantedTests.swift
FAULT
plant tests-tsan 'ThreadSanitizer reported a race' << 'FAULT'
sed -i '/pthread_mutex_\(un\)\?lock(/d' Sources/EventBus/Kit/LockedForThreadSanitizer.swift
FAULT
plant terminal 'Test "Planted".* failed after' << 'FAULT'
printf 'import Testing\n\n@Test("Planted") func planted() { #expect(Bool(false)) }\n' > Tests/SkinsTests/Planted.swift
FAULT
plant cross 'LaunchLoader does not compile for arm64-apple-' << 'FAULT'
sed -i 's/__sigaction_u\.__sa_handler = handler/__sigaction_u.__sa_handlr = handler/' \
  Sources/LaunchLoader/System/SignalDisposition.swift
FAULT
plant premain 'output of the fixture differs' << 'FAULT'
sed -i 's/"\.init_array"/".planted"/' Tests/Fixtures/PreMain/Logging/Logging.swift
FAULT
plant foundation 'Foundation is linked' << 'FAULT'
printf 'internal import Foundation\n\n/// Planted.\npublic func planted() -> String { ProcessInfo.processInfo.hostName }\n' \
  > Sources/Theming/Themes/Planted.swift
FAULT
plant daemon 'no longer than the limits' << 'FAULT'
sed -i 's/^TimeoutStopSec=.*/TimeoutStopSec=30/' Examples/Daemon/daemon.service
FAULT
plant specialized 'called across modules' << 'FAULT'
sed -i '/^ *@inlinable$/d' Sources/EventBus/Bus/EventBus+Post.swift
FAULT
plant size 'a loop around a post, bytes has grown' << 'FAULT'
sed -i '/^  @inline(never)$/d; s/^  @usableFromInline$/  @inlinable @inline(__always)/' Sources/EventBus/Bus/SignalCore.swift
FAULT
plant publish 'LICENSE differs from LICENSE' << 'FAULT'
echo 'another condition' >> LICENSE
FAULT
plant site 'leads to a file that is not on the site' << 'FAULT'
sed -i '0,/^\/\/\/$/s//&\n\/\/\/ See [Owning](Owning.md).\n&/' Sources/EventBus/Tokens/Token.swift
FAULT

chosen=()
case ${1:-} in
  '') mapfile -t chosen < <(printf '%s\n' "${order[@]}" | sed '/^storms$/,$d') ;;
  --full) chosen=("${order[@]}") ;;
  *)
    for fault in "${order[@]}"; do
      [[ " $* " == *" ${fault%%:*} "* ]] && chosen+=("$fault")
    done
    ;;
esac
((${#chosen[@]} > 0)) || { echo "No such gate; Scripts/check.sh --list prints the names."; exit 2; }
unnoticed=0
for gate in $(Scripts/check.sh --list); do
  [[ -v faults[$gate] || $gate == faults || $gate == integrations ]] && continue
  echo "NO FAULT  $gate: plant one in Scripts/test-gates.sh"
  unnoticed=$((unnoticed + 1))
done

# The copy is kept, which makes the next run build incrementally.
copy=$root/.build/test-gates
mkdir -p "$copy/.build"
find "$copy" -mindepth 1 -maxdepth 1 ! -name .build -exec rm -rf {} +
git ls-files --cached --others --exclude-standard -z \
  | while IFS= read -r -d '' file; do [[ ! -e $file ]] || printf '%s\0' "$file"; done \
  | xargs -0 cp -pP --parents -t "$copy"
cd "$copy"
git init -q
git add -A
git -c user.name=gates -c user.email=gates@localhost -c commit.gpgsign=false commit -q --no-verify -m "The tree as it is"

output=.build/planted.log
mapfile -t gates < <(printf '%s\n' "${chosen[@]%%:*}" | uniq)
Scripts/check.sh "${gates[@]}" > "$output" 2>&1 \
  || { tail -n 40 "$output"; echo "The gates fail without a planted fault; repair the tree first."; exit 1; }
for fault in "${chosen[@]}"; do
  bash -euc "${faults[$fault]}"
  if [[ -z $(git status --porcelain) ]]; then
    verdict="NOTHING   (the fault changed no file; adapt it to the code)"
  elif Scripts/check.sh "${fault%%:*}" > "$output" 2>&1; then
    verdict=UNNOTICED
  elif ! grep -qE -- "${messages[$fault]}" "$output"; then
    tail -n 15 "$output" | sed 's/^/  /'
    verdict="ELSEWISE  (failed, but its output does not match '${messages[$fault]}')"
  else
    verdict=noticed
  fi
  echo "$verdict: $fault"
  [[ $verdict == noticed ]] || unnoticed=$((unnoticed + 1))
  git checkout -q .
  git clean -fdq
done
echo "${#chosen[@]} faults planted, $unnoticed not noticed as expected."
((unnoticed == 0))
