# Functions and variables shared by the gates, which all source this file.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

# The libraries, lowest first.
modules=(EventBus LaunchLoader Theming)
# The products beside them: targets of the package whose folders are in Integrations. No library uses them.
parts=(EventBusTesting LaunchPictures NotificationCenterBridge ObservationBridge)
# Everything with a public API.
published=("${modules[@]}" "${parts[@]}")

# Prints the folder of a module.
folder_of() {
  case $1 in
    EventBusTesting) echo Integrations/Testing ;;
    LaunchPictures) echo Integrations/Pictures ;;
    NotificationCenterBridge) echo Integrations/Foundation ;;
    ObservationBridge) echo Integrations/Observation ;;
    *) echo "Sources/$1" ;;
  esac
}
# The folders of all of them, and of the lock that the packages in Integrations share.
sources=(
  Sources Integrations/Testing Integrations/Pictures Integrations/Foundation Integrations/Observation Integrations/Locks
)

# The working folder of the gates: ignored by git and safe to delete.
work=.build/gates
mkdir -p "$work"

# Prints the problem and the remedy, and fails the gate.
fail() {
  printf 'FAILED: %s\n' "$*" >&2
  exit 1
}

# Prints the commit from which this series of commits began: CHECK_BASE, or where the default branch of the remote was
# left. Prints nothing when that is unknown, or HEAD itself: then everything counts as changed.
base_commit() {
  local base=${CHECK_BASE:-}
  [[ $base ]] || base=$(git merge-base HEAD refs/remotes/origin/HEAD 2> /dev/null \
    || git merge-base HEAD refs/remotes/origin/main 2> /dev/null || true)
  base=$(git rev-parse -q --verify "$base^{commit}" || true)
  [[ $base == "$(git rev-parse HEAD)" ]] || printf '%s\n' "$base"
}

# Lists the Swift files under the given folders, sorted, without build products.
swift_files() {
  local root
  for root in "$@"; do
    [[ -e $root ]] || continue
    find "$root" -name .build -prune -o -name '*.swift' -type f -print
  done | LC_ALL=C sort
}

# Writes the description of the package to $work/package.json unless it is up to date.
describe_package() {
  [[ -s $work/package.json && $work/package.json -nt Package.swift ]] \
    || swift package dump-package > "$work/package.json"
}

# Prints the compiler flags that Package.swift gives a target, one per line, without those for warnings:
# the build gate turns warnings into errors.
target_flags() {
  describe_package
  printf '%s\n' -swift-version 6
  jq -r --arg target "$1" '
    .targets[] | select(.name == $target) | .settings[] | select(.tool == "swift") | .kind
    | to_entries[0]
    | if .key == "enableUpcomingFeature" then "-enable-upcoming-feature", .value._0
      elif .key == "enableExperimentalFeature" then "-enable-experimental-feature", .value._0
      elif .key == "strictMemorySafety" then "-strict-memory-safety"
      elif .key == "define" then "-D\(.value._0)"
      elif .key == "treatAllWarnings" or .key == "treatWarning" then empty
      else error("add the setting \(.key) to target_flags in Scripts/gates/common.sh") end
  ' "$work/package.json"
}

# Prints the programs that the `swift` blocks of a page form, as NUL-terminated records: `file:line`, a
# newline, the code. A page is a Markdown file or a documentation comment. A block with imports begins a
# program; the blocks after it continue it, each after a blank line. Nothing continues a manifest.
programs() {
  awk -v comments="$([[ $1 == *.swift ]] && echo 1 || echo 0)" '
    function finish() { if (place) printf "%s\n%s%c", place, text, 0; place = text = "" }
    comments && !sub(/^[ \t]*\/\/\/ ?/, "") { inside = 0; finish(); next }
    !inside && /^ *```swift$/ { inside = 1; imports = 0; block = ""; line = FNR; match($0, /^ */); next }
    inside && /^ *```$/ {
      inside = 0
      if (imports) finish()
      if (place) text = text "\n"
      else place = FILENAME ":" line
      text = text block
      if (block ~ /^import PackageDescription|\nimport PackageDescription/) finish()
      next
    }
    inside {
      if ($0 ~ /^import /) imports = 1
      # Without the indentation of the whole block.
      block = block (substr($0, 1, RLENGTH) ~ /^ *$/ ? substr($0, RLENGTH + 1) : $0) "\n"
    }
    END { finish() }
  ' "$1"
}

# Prints the numbers of passed and failed tests in a `swift test` log: "12 0".
# A run that did not report its end (a crash, a hang) adds one failure.
count_tests() {
  LC_ALL=C awk '
    / Test run with [0-9]+ tests? / { if (/ (passed|failed) after /) ended = 1; next }
    / Test [^ ].* passed after [0-9.]+ seconds( with .*known issue.*)?\.$/ { passed++; next }
    / Test [^ ].* failed after [0-9.]+ seconds( with .*)?\.$/ { failed++ }
    END { print passed + 0, failed + (ended ? 0 : 1) }
  ' "$1"
}

# Prints the failures in a `swift test` log, for readers who see only the last lines of a long run.
print_failures() {
  LC_ALL=C awk '
    / recorded an issue / || /: error: / || /Fatal error/ || /Could not cast/ { lines = 6 }
    /WARNING: ThreadSanitizer/ { lines = 40 }
    # Long lines are truncated: a full symbol name may fill a screen.
    lines > 0 && printed < 200 { print "  " substr($0, 1, 400); printed++; lines-- }
    / Test .* started\.$/ { last = $0 }
    / Test run with .* (passed|failed) after / { ended = 1 }
    END { if (!ended) print "  The run did not complete. The last test started was: " substr(last, 1, 400) }
  ' "$1"
}

# Calls a function with each of the arguments, as many at a time as there are processors. Prints the output of those
# that fail, sets `problems` to their number, and succeeds if there are none: in_parallel FUNCTION ARGUMENT...
in_parallel() {
  local folder=$work/parallel/$1 i=0 argument log
  rm -rf "$folder"
  mkdir -p "$folder"
  for argument in "${@:2}"; do
    while (($(jobs -pr | wc -l) >= $(nproc))); do wait -n || true; done
    i=$((i + 1))
    { ("$1" "$argument") > "$folder/$i.log" 2>&1 || touch "$folder/$i.failed"; } < /dev/null &
  done
  wait
  problems=0
  for log in "$folder"/*.failed; do
    [[ -e $log ]] || continue
    problems=$((problems + 1))
    tail -n 40 "${log%.failed}.log"
  done
  ((problems == 0))
}

# Builds the given products one by one, with the given flags: build_products FLAG... -- PRODUCT...
build_products() {
  local flags=() product
  while [[ $1 != -- ]]; do flags+=("$1"); shift; done
  shift
  for product in "$@"; do
    swift build "${flags[@]}" --product "$product" || fail "swift build ${flags[*]} --product $product"
  done
}

# Prints the programs of the package, which tests start, one per line.
programs_of_the_package() {
  describe_package || fail "cannot read Package.swift"
  jq -r '.targets[] | select(.type == "executable") | .name' "$work/package.json"
}

# Runs a command that runs tests, writes its output to $work/NAME.log, and fails the gate if a test fails,
# if no test ran, or after 15 minutes: run_tests NAME COMMAND...
run_tests() {
  local name=$1 log=$work/$1.log passed failed status=0
  shift
  timeout -k 30 900 "$@" > "$log" 2>&1 || status=$?
  if ((status != 0)); then
    print_failures "$log"
    ((status != 124)) || fail "$*: timed out after 15 minutes; see $log"
    fail "$*: see above, or $log"
  fi
  read -r passed failed < <(count_tests "$log")
  ((failed == 0)) || fail "$failed failures in $log although the run reported success"
  ((passed > 0)) || fail "no test ran; check the filter"
  echo "$passed tests passed ($name)."
}

# Runs the tests of a build one at a time in each of two processes of about equal length: side by side in one process,
# tests starve each other of the few threads: run_in_two NAME FOLDER
run_in_two() {
  local serially=("$2/EventBusPackageTests.xctest" --testing-library swift-testing --no-parallel) first status=0
  run_tests "$1" "${serially[@]}" --filter "$half" &
  first=$!
  (run_tests "$1-others" "${serially[@]}" --skip "$half") || status=1
  wait "$first" || status=1
  ((status == 0)) || fail "see the lines above"
}
half='^EventBusTests\.'

# The flags of the build with -O, for the tests as well.
optimized=(-c release --scratch-path .build/optimized)

# Builds the probe, a separate package, in release: .build/probe/release/Probe.
# `-disable-cmo` prevents the compiler from inlining short functions of other modules that are not
# `@inlinable`, as it would stop doing so when they grow. `--disable-build-manifest-caching` makes the
# build detect new files in the package it depends on.
build_probe() {
  swift build -c release --package-path Tests/Fixtures/Probe --scratch-path .build/probe \
    --disable-build-manifest-caching -Xswiftc -disable-cmo \
    || fail "the probe (Tests/Fixtures/Probe) does not build"
}

# Builds the programs of Tests/Fixtures/PreMain with the given flags, silently unless it fails.
# One program uses all three libraries, which lets the gate `foundation` share the static build.
build_premain() {
  swift build "$@" --product PreMainFixture > "$work/premain.log" 2>&1 \
    && swift build "$@" --product PreMainCrowd >> "$work/premain.log" 2>&1 \
    || fail "swift build $*: $(tail -n 20 "$work/premain.log")"
}

# The flags of the static build, which has its own folder because it compiles everything again.
static_build=(-c release --static-swift-stdlib --scratch-path .build/static)

# The interfaces of the libraries, compiled from their sources by compile_libraries, which takes three
# seconds. Programs that are only to be type-checked import them from here and need no build.
interfaces=$work/interfaces

# The package name of everything that may use package declarations.
package=eventbus

# Compiles the interfaces of the libraries and of the products beside them, and extracts their public symbol graphs,
# unless sources and settings are those of the last time: $interfaces/MODULE.swiftmodule, and $graphs/MODULE, which also
# holds MODULE's extensions of types of other modules.
graphs=$work/symbol-graphs
compile_libraries() {
  local module state flags files
  mapfile -t files < <(swift_files "${sources[@]}")
  state=$({ swiftc --version 2> /dev/null; printf '%s\n' "${files[@]}"
    cat "${BASH_SOURCE[0]}" Package.swift "${files[@]}"; } | sha256sum)
  [[ $state != "$(cat "$interfaces/state" 2> /dev/null)" ]] || return 0
  rm -rf "$interfaces" "$graphs"
  mkdir -p "$interfaces"
  for module in "${published[@]}"; do
    flags=$(target_flags "$module") || fail "cannot read the settings of $module"
    mapfile -t flags <<< "$flags"
    mapfile -t files < <(swift_files "$(folder_of "$module")")
    # Without -wmo the driver starts one compiler for each file.
    swiftc -emit-module -wmo -parse-as-library -module-name "$module" -package-name "$package" \
      -Xfrontend -experimental-skip-non-inlinable-function-bodies -suppress-warnings \
      -I "$interfaces" -emit-module-path "$interfaces/$module.swiftmodule" "${flags[@]}" "${files[@]}" \
      || fail "$module does not compile"
    mkdir -p "$graphs/$module"
    swift-symbolgraph-extract -module-name "$module" -I "$interfaces" -target "$(target_triple)" \
      -minimum-access-level public -skip-synthesized-members -emit-extension-block-symbols \
      -output-dir "$graphs/$module" || fail "cannot extract the symbols of $module"
    [[ -s $graphs/$module/$module.symbols.json ]] || fail "$module has no public symbols"
  done
  printf '%s' "$state" > "$interfaces/state"
}

# The target triple of this machine, as the package manager uses it.
target_triple() { swiftc -print-target-info | jq -r .target.unversionedTriple; }

clients=Tests/Fixtures/Clients
# Each kind of client: a folder of programs, which are compiled with those in Every, and the settings of their
# author. Xcode 26 turns the features below on in new projects.
approachable="-enable-upcoming-feature InferIsolatedConformances
  -enable-upcoming-feature NonisolatedNonsendingByDefault -enable-upcoming-feature MemberImportVisibility"
client_kinds=(
  "Plain -swift-version 5"
  "Plain -swift-version 6"
  "Plain -swift-version 6 $approachable"
  "Plain -swift-version 6 -cxx-interoperability-mode=default"
  "MainActor -swift-version 5 -default-isolation MainActor"
  "MainActor -swift-version 6 -default-isolation MainActor"
  "MainActor -swift-version 5 -default-isolation MainActor $approachable"
  "MainActor -swift-version 6 -default-isolation MainActor $approachable"
)
# The snippet of the article about the main actor, which the gate `snippets` compiles without that setting.
client_kinds+=(
  "Documentation/Snippets/EventBus/OnTheMainActor.swift -swift-version 5 -default-isolation MainActor"
  "Documentation/Snippets/EventBus/OnTheMainActor.swift -swift-version 6 -default-isolation MainActor"
)
# A program with types that have the names of ours.
client_kinds+=("Tests/Fixtures/OwnTypes/OwnTypes.swift -swift-version 6")

# Type-checks a kind of client with the given options: check_client KIND OPTION...
check_client() {
  local folder=${1%% *} files=("${1%% *}")
  if [[ $folder != *.swift ]]; then
    mapfile -t files < <(swift_files "$clients/Every" "$clients/$folder")
    files=(-parse-as-library "${files[@]}")
  fi
  # shellcheck disable=SC2086
  swiftc -typecheck -wmo -warnings-as-errors -module-name Client -package-name stranger "${@:2}" ${1#* } "${files[@]}"
}

# The packages beside the libraries, in the order of their checks: the inspector continues the build of the server.
integrations=(Server Inspector NATS)

# Runs the checks of one, whose last line is "N passed, M failed", and sets `good` and `bad` to these numbers:
# integration NAME [--full]. Without the line, one has failed.
integration() {
  local log=$work/integration-$1.log status
  timeout -k 30 3600 bash "Integrations/$1/check.sh" "${@:2}" < /dev/null 2>&1 | tee "$log"
  status=${PIPESTATUS[0]}
  read -r good bad < <(sed -nE 's/^([0-9]+) passed, ([0-9]+) failed$/\1 \2/p' "$log" | tail -n 1; echo)
  good=${good:-0} bad=${bad:-0}
  if ((bad == 0)) && ((status != 0 || good == 0)); then bad=1; fi
  ((bad == 0))
}
