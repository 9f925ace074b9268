#!/usr/bin/env bash
# the package compiles for macOS, iOS and musl, the libraries for Apple's other systems, the tests for macOS
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

# The compiler of Linux generates code for other systems. What it lacks are the modules of the standard library, which
# Scripts/Platforms/modules.sh makes from those of Linux, and the C library: for Apple's systems the stand-in in
# Scripts/Platforms, for musl its own headers. Nothing is linked, nothing runs, and the interoperability with
# Objective-C is off: no branch for `canImport(ObjectiveC)` is compiled.
#
# Not for watchOS with 32 bits, where an Int of these modules has 64 bits.
cross=$work/cross
rm -rf "$cross/logs"
mkdir -p "$cross/logs"
describe_package

# Targets of the package that are not compiled here, and why.
declare -A excluded=(
  [NotificationCenterBridge]="is about a class of Objective-C, of which a stand-in would prove nothing"
  [NotificationCenterBridgeTests]="tests NotificationCenterBridge"
  [daemon]="is a service of Linux, and uses files and URLs of Foundation"
)

# Prints targets of the package, each after those that it uses, without the excluded ones.
with_dependencies() {
  jq -r --args '
    (.targets | map({(.name): [.dependencies[].byName[0]]}) | add) as $uses
    | def all: ($uses[.][] | all), .;
    reduce ($ARGS.positional[] | all) as $name ([]; if index($name) then . else . + [$name] end) | .[]
  ' "$@" < "$work/package.json" | grep -vxF "$(printf '%s\n' "${!excluded[@]}")"
}

# Prints the names of the targets for which a condition of jq holds.
targets_where() {
  jq -r "[.products[].targets[]] as \$products | .targets[] | select($1) | .name" "$work/package.json"
}

# Everything that is a product, and the demo. The rest are tests, and what only they use.
mapfile -t products < <(with_dependencies $(targets_where '.name | IN($products[])') skins)
mapfile -t everything < <(with_dependencies $(targets_where true))
mapfile -t used < <(jq -r '.targets[].dependencies[].byName[0]' "$work/package.json" | sort -u)
mapfile -t rest < <(printf '%s\n' "${everything[@]}" | grep -vxF "$(printf '%s\n' "${products[@]}")")
for module in "${!excluded[@]}"; do
  [[ $(targets_where ".name == \"$module\"") ]] || fail "the package has no target $module to exclude from this gate"
  echo "not compiled: $module ${excluded[$module]}"
done

# Prints the version of a system that Package.swift declares.
declared() {
  jq -er --arg name "$1" '.platforms[] | select(.platformName == $name).version' "$work/package.json" \
    || fail "Package.swift declares no version of $1"
}

# Prints the compiler flags for the warnings of a target.
warning_flags() {
  jq -r --arg target "$1" '
    .targets[] | select(.name == $target) | .settings[].kind.treatWarning // empty
    | (if ._1 == "error" then "-Werror" else "-Wwarning" end), ._0
  ' "$work/package.json"
}

plugins=$(dirname "$(dirname "$(readlink -f "$(command -v swiftc)")")")/lib/swift/host/plugins

# Chooses a target: its folder, which is a resource folder of the compiler, with the modules of the standard library,
# and another one for the modules that are compiled here.
use() {
  target=$1 folder=$cross/$1
  options=(-target "$target" -resource-dir "$folder/library" -module-cache-path "$folder/cache" -I "$folder/modules"
    -plugin-path "$plugins" -wmo -Xfrontend -disable-objc-interop)
  case $target in
    *-musl) options+=(-sdk "$folder/library/sdk") ;;
    # With an SDK, the compiler looks for the headers of the standard library there.
    *-xros*) options+=(-sdk "$folder/library/sdk" -I "$folder/library/shims") ;;
  esac
}

# Reads what a module is compiled from: its flags, its files, and its state, which covers everything that it is
# compiled from. The states of the modules that it uses must be there.
read_module() {
  local dependency
  flags=$(target_flags "$1" && warning_flags "$1") || fail "cannot read the settings of $1"
  mapfile -t flags <<< "$flags"
  mapfile -t files < <(swift_files "$(jq -r --arg name "$1" '
    .targets[] | select(.name == $name) | .path // (if .type == "test" then "Tests" else "Sources" end) + "/\($name)"
  ' "$work/package.json")")
  [[ ${files[*]} == */main.swift* ]] || flags+=(-parse-as-library)
  flags+=(-package-name "$package" -module-name "$1")
  state=$({
    cat "$folder/state"
    declare -f prepare compile check_output
    printf '%s\n' "${options[@]}"
    printf '%s\n' "${flags[@]}" "${files[@]}"
    for dependency in $(jq -r --arg name "$1" '.targets[] | select(.name == $name) | .dependencies[].byName[0]' "$work/package.json"); do
      cat "$folder/modules/$dependency.state"
    done
    cat "${files[@]}"
  } | sha256sum)
}

# Compiles a stand-in for the target in use: stand_in MODULE FILE OPTION...
stand_in() {
  swiftc "${options[@]}" -parse-as-library -swift-version 6 -emit-module -module-name "$1" "${@:3}" "$2" \
    -o "$folder/modules/$1.swiftmodule" || fail "the stand-in of $1 does not compile for $target"
}

# The headers of musl that the module of the C library has here.
headers=(dlfcn errno fcntl poll pthread sched signal stdlib sys/ioctl sys/socket sys/stat sys/un termios time unistd)

# Prepares a target: the modules of the standard library, the stand-ins, and the interfaces of the given modules and
# of those that they use, so that all can then be compiled at the same time: prepare TARGET MODULE...
prepare() {
  local state module flags files
  use "$1"
  state=$({
    swiftc --version 2> /dev/null
    find Scripts/Platforms -type f | LC_ALL=C sort | xargs cat
    declare -f prepare stand_in
    printf '%s\n' "${options[@]}" "${headers[@]}"
  } | sha256sum)
  if [[ $state != "$(cat "$folder/state" 2> /dev/null)" ]]; then
    rm -rf "$folder"
    mkdir -p "$folder/modules"
    bash Scripts/Platforms/modules.sh "$target" "$folder/library" \
      || fail "the modules of the standard library do not compile for $target"
    if [[ $target == *-apple-* ]]; then
      cp Scripts/Platforms/Darwin/*.h Scripts/Platforms/Darwin/module.modulemap "$folder/modules/"
      stand_in Darwin Scripts/Platforms/Darwin/Overlay.swift -import-underlying-module
      for module in Foundation UIKit SwiftUI; do
        stand_in "$module" "Scripts/Platforms/Kits/$module.swift" -warnings-as-errors
      done
    else
      { echo 'module Musl [system] {'
        printf "  header \"$PWD/$folder/library/sdk/usr/include/%s.h\"\n" "${headers[@]}"
        printf '  export *\n}\n'
      } > "$folder/modules/module.modulemap"
      stand_in Musl Scripts/Platforms/Musl/Overlay.swift -import-underlying-module
    fi
    printf '%s' "$state" > "$folder/state"
  fi
  for module in $(with_dependencies "${@:2}"); do
    [[ " ${used[*]} " == *" $module "* ]] || continue
    read_module "$module"
    [[ $state != "$(cat "$folder/modules/$module.state" 2> /dev/null)" ]] || continue
    rm -f "$folder/modules/$module.state"
    swiftc "${options[@]}" "${flags[@]}" -emit-module -Xfrontend -experimental-skip-non-inlinable-function-bodies \
      -emit-module-path "$folder/modules/$module.swiftmodule" "${files[@]}" \
      || fail "$module does not compile for $target"
    printf '%s' "$state" > "$folder/modules/$module.state"
  done
}

# Compiles a module of the package for a target with the settings of the package: compile MODULE TARGET OPTION...
# With -c, to an object file; with -emit-sil, to the compiler's language; with -typecheck, to nothing. Skipped when
# nothing has changed since it succeeded.
compile() {
  local module=$1 options folder target flags files state output
  use "$2"
  shift 2
  read_module "$module"
  output="$folder/$module ${*//\//_}"
  state+=$*
  if [[ $state != "$(cat "$output.state" 2> /dev/null)" ]]; then
    rm -f "$output" "$output.state"
    [[ $* == *-typecheck* ]] || set -- "$@" -o "$output"
    swiftc "${options[@]}" "${flags[@]}" -warnings-as-errors "$@" "${files[@]}" > "$output.log" 2>&1 \
      || { cat "$output.log"; fail "$module does not compile for $target"; }
    [[ ! -s $output.log ]] || { cat "$output.log"; fail "$module compiles for $target with warnings"; }
    check_output "$output" "$@"
    printf '%s' "$state" > "$output.state"
  fi
}

# Checks that a file is what was asked for: an object file of the target in use, or SIL with functions.
check_output() {
  local beginning
  case " $* " in
    *' -emit-sil '*) (($(grep -c '^sil ' "$1") > 10)) || fail "$1 contains no SIL" ;;
    *' -c '*)
      beginning=$(od -An -v -tx1 -N 20 "$1" | tr -d ' \n')
      case $target in
        # Mach-O, 64 bits; arm64; an object file. ELF, 64 bits; relocatable; x86-64.
        arm64-apple-*) [[ $beginning == cffaedfe0c000001????????01000000* ]] ;;
        x86_64-*) [[ $beginning == 7f454c460201????????????????????01003e00* ]] ;;
      esac || fail "$1 is no object file for $target: it begins with $beginning"
      ;;
  esac
}

# Type-checks a kind of client, as the gate `clients` does on Linux: client TARGET KIND
client() {
  local options folder target
  use "$1"
  check_client "$2" "${options[@]}" || fail "a client does not compile for $target: $2"
}

# Type-checks the samples with UIKit or SwiftUI against the stand-ins: samples TARGET OPTION...
samples() {
  local options folder target
  use "$1"
  shift
  swiftc -typecheck "${options[@]}" -parse-as-library -warnings-as-errors \
    -enable-upcoming-feature MemberImportVisibility -enable-upcoming-feature NonisolatedNonsendingByDefault \
    -module-name Sample -package-name stranger "$@" Scripts/Platforms/Samples/*.swift \
    || fail "the samples with UIKit or SwiftUI do not compile for $target with $*"
}

# Runs a command in the background, as many as there are processors at a time: start TITLE COMMAND...
start() {
  ! compgen -G "$cross/logs/*.failed" > /dev/null || finish
  while (($(jobs -pr | wc -l) >= $(nproc))); do wait -n || true; done
  number=$((number + 1))
  run "$cross/logs/$number" "$@" &
}
number=0

# Prints the title of a command with the time of a processor that it took: run LOG TITLE COMMAND...
run() {
  ("${@:3}") > "$1" 2>&1 || touch "$1.failed"
  times > "$1.times"
  [[ -e $1.failed ]] || echo "$2 ($(awk -F '[ms.]' 'END { print 60 * $1 + $2 }' "$1.times") s)"
}

# Waits for these commands, and fails the gate if one has failed.
finish() {
  local failure
  wait
  for failure in "$cross"/logs/*.failed; do
    [[ -e $failure ]] || continue
    grep -E -A 3 '(error|warning): ' "${failure%.failed}" | head -n 40 || tail -n 40 "${failure%.failed}"
    # Below the errors, of which there may be more.
    grep '^FAILED' "${failure%.failed}" || true
  done
  ! compgen -G "$cross/logs/*.failed" > /dev/null || fail "see above, or $cross/logs"
}

macos=arm64-apple-macos$(declared macos)
ios=arm64-apple-ios$(declared ios)
others=("arm64-apple-tvos$(declared tvos)" "arm64-apple-watchos$(declared watchos)" "arm64-apple-xros$(declared visionos)")
musl=x86_64-swift-linux-musl
# The demo has no stand-in of Foundation for musl.
mapfile -t for_musl < <(printf '%s\n' "${products[@]}" | grep -vx skins)

start "interfaces for macOS" prepare "$macos" "${everything[@]}"
start "interfaces for iOS" prepare "$ios" "${products[@]}"
for target in "${others[@]}"; do
  start "interfaces for $target" prepare "$target" "${modules[@]}"
done
if [[ -e /usr/include/x86_64-linux-musl/stdlib.h ]]; then
  start "interfaces for musl" prepare "$musl" "${for_musl[@]}"
elif [[ ${CI:-} ]]; then
  fail "nothing was compiled for musl: needs the headers of Debian's package musl-dev on x86-64"
else
  echo "NOT COMPILED for musl: needs the headers of Debian's package musl-dev on x86-64"
  for_musl=()
fi
finish

# First what is quick. The lock for ThreadSanitizer is compiled with the other form in which Apple's headers declare the
# argument of a thread.
start "EventBus, type-checked for macOS, for ThreadSanitizer" \
  compile EventBus "$macos" -typecheck -DTSAN -Xcc -D_PTHREAD_SWIFT_IMPORTER_NULLABILITY_COMPAT
for mode in 5 6; do
  start "samples for iOS: -swift-version $mode" samples "$ios" -swift-version "$mode"
  start "samples for iOS: -swift-version $mode -default-isolation MainActor" \
    samples "$ios" -swift-version "$mode" -default-isolation MainActor
done
# The clients of the gate `clients`, without C++.
for kind in "${client_kinds[@]}"; do
  [[ $kind != *cxx* && $kind != *.swift* ]] || continue
  start "client for iOS: ${kind//$'\n'/}" client "$ios" "$kind"
done
# Then what takes longest.
for module in "${products[@]}"; do
  start "$module, optimized object for macOS" compile "$module" "$macos" -O -c
  start "$module, optimized object for iOS" compile "$module" "$ios" -O -c
done
for module in "${rest[@]}"; do
  start "$module, type-checked for macOS" compile "$module" "$macos" -typecheck
done
for module in "${for_musl[@]}"; do
  start "$module, object for musl" compile "$module" "$musl" -Onone -c
done
for target in "${others[@]}"; do
  for module in "${modules[@]}"; do
    start "$module, SIL for $target" compile "$module" "$target" -Onone -emit-sil
  done
done
finish
