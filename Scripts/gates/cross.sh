#!/usr/bin/env bash
# the package compiles for macOS, iOS and musl, the libraries for Apple's other systems, the tests for macOS
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

# The compiler of Linux generates code for other systems. What it lacks are the modules of the standard library, which
# Scripts/gates/modules.sh makes from those of Linux, and the C library: for Apple's systems the stand-in in
# Tests/Fixtures/Platforms, for musl its own headers. Nothing is linked, nothing runs, and the interoperability with
# Objective-C is off: no branch for `canImport(ObjectiveC)` is compiled.
cross=$work/cross
mkdir -p "$cross"
describe_package

# Targets of the package that are not compiled here: NotificationCenterBridge is about a class of Objective-C, of which
# a stand-in would prove nothing; daemon is a service of Linux, and uses files and URLs of Foundation.
excluded=(NotificationCenterBridge NotificationCenterBridgeTests daemon)

# Prints targets of the package, each after those that it uses, without the excluded ones.
with_dependencies() {
  jq -r --args '
    (.targets | map({(.name): [.dependencies[].byName[0]]}) | add) as $uses
    | def all: ($uses[.][] | all), .;
    reduce ($ARGS.positional[] | all) as $name ([]; if index($name) then . else . + [$name] end) | .[]
  ' "$@" < "$work/package.json" | grep -vxF "$(printf '%s\n' "${excluded[@]}")"
}
# Everything that is a product, and the demo. The rest are tests, and what only they use.
mapfile -t products < <(with_dependencies $(jq -r '.products[].targets[]' "$work/package.json" | sort -u) skins)
mapfile -t everything < <(with_dependencies $(jq -r '.targets[].name' "$work/package.json"))
mapfile -t used < <(jq -r '.targets[].dependencies[].byName[0]' "$work/package.json" | sort -u)

# Prints the triple of an Apple system with the version that Package.swift declares.
apple() {
  jq -er --arg name "$1" '.platforms[] | select(.platformName == $name).version' "$work/package.json" \
    | sed "s/^/arm64-apple-${2:-$1}/" || fail "Package.swift declares no version of $1"
}

# Sets the options for a target, whose folder has the modules of the standard library, and prepares the folder unless
# the toolchain and Tests/Fixtures/Platforms are those of the last time.
prepare() {
  local state kit
  folder=$cross/$target
  state=$({ swiftc --version 2> /dev/null; cat "${BASH_SOURCE[0]}"; { echo Scripts/gates/modules.sh; find Tests/Fixtures/Platforms -type f; } | sort | xargs cat; } | sha256sum)
  options=(-target "$target" -resource-dir "$folder/library" -module-cache-path "$folder/cache" -I "$folder/modules"
    -plugin-path "$(dirname "$(dirname "$(readlink -f "$(command -v swiftc)")")")/lib/swift/host/plugins"
    -wmo -Xfrontend -disable-objc-interop)
  case $target in
    *-musl) options+=(-sdk "$folder/library/sdk") ;;
    # With an SDK, the compiler looks for the headers of the standard library there.
    *-xros*) options+=(-sdk "$folder/library/sdk" -I "$folder/library/shims") ;;
  esac
  [[ $state != "$(cat "$folder/state" 2> /dev/null)" ]] || return 0
  rm -rf "$folder"
  mkdir -p "$folder/modules"
  bash Scripts/gates/modules.sh "$target" "$folder/library" || fail "no modules of the standard library for $target"
  if [[ $target == *-musl ]]; then
    { echo 'module Musl [system] {'
      printf "  header \"$PWD/$folder/library/sdk/usr/include/%s.h\"\n" dlfcn errno fcntl poll pthread sched signal \
        stdlib sys/ioctl sys/socket sys/stat sys/un termios time unistd
      printf '  export *\n}\n'
    } > "$folder/modules/module.modulemap"
    stand_in Musl Tests/Fixtures/Platforms/Musl/Overlay.swift -import-underlying-module
  else
    cp Tests/Fixtures/Platforms/Darwin/*.h Tests/Fixtures/Platforms/Darwin/module.modulemap "$folder/modules/"
    stand_in Darwin Tests/Fixtures/Platforms/Darwin/Overlay.swift -import-underlying-module
    for kit in Dispatch Foundation UIKit SwiftUI; do stand_in "$kit" "Tests/Fixtures/Platforms/Kits/$kit.swift" -warnings-as-errors; done
  fi
  printf '%s' "$state" > "$folder/state"
}

# Compiles a stand-in for the target: stand_in MODULE FILE OPTION...
stand_in() {
  swiftc "${options[@]}" -parse-as-library -swift-version 6 -emit-module -module-name "$1" "${@:3}" "$2" \
    -o "$folder/modules/$1.swiftmodule" || fail "the stand-in of $1 does not compile for $target"
}

# Compiles a module of the package with its settings: with -c to an object file, with -typecheck to nothing. Others can
# import it afterwards: compile MODULE OPTION...
compile() {
  local module=$1 flags files output=$folder/$1.o log=$folder/$1.log beginning
  flags=$(target_flags "$module") || fail "cannot read the settings of $module"
  mapfile -t flags <<< "$flags"
  mapfile -t files < <(swift_files "$(jq -r --arg name "$module" '
    .targets[] | select(.name == $name) | .path // (if .type == "test" then "Tests" else "Sources" end) + "/\($name)"
  ' "$work/package.json")")
  [[ ${files[*]} == */main.swift* ]] || flags+=(-parse-as-library)
  shift
  rm -f "$output"
  if [[ " ${used[*]} " == *" $module "* ]]; then set -- "$@" -emit-module-path "$folder/modules/$module.swiftmodule"; fi
  case " $* " in
    *' -c '*) set -- "$@" -o "$output" ;;
    *' -emit-module-path '*) set -- -emit-module "${@//-typecheck/-g}" ;;
  esac
  swiftc "${options[@]}" "${flags[@]}" -package-name "$package" -module-name "$module" -warnings-as-errors "$@" \
    "${files[@]}" > "$log" 2>&1 && [[ ! -s $log ]] \
    || { grep -E -A 3 '(error|warning): ' "$log" | head -n 40 || cat "$log"; fail "$module does not compile for $target"; }
  [[ " $* " != *' -c '* ]] && return
  # Mach-O, 64 bits; arm64; an object file. ELF, 64 bits; relocatable; x86-64.
  beginning=$(od -An -v -tx1 -N 20 "$output" | tr -d ' \n')
  [[ $beginning == cffaedfe0c000001????????01000000* || $beginning == 7f454c460201????????????????????01003e00* ]] \
    || fail "$output is no object file for $target: it begins with $beginning"
}

# Compiles what a system needs, after the modules that it uses.
system() {
  local target=$1 folder options module mode kind
  prepare
  case $target in
    *-macos*)
      for module in "${everything[@]}"; do
        [[ " ${products[*]} " == *" $module "* ]] && compile "$module" -O -c || compile "$module" -typecheck
      done
      # The lock for ThreadSanitizer, with the other form in which Apple's headers declare the argument of a thread.
      used=()
      compile EventBus -typecheck -DTSAN -Xcc -D_PTHREAD_SWIFT_IMPORTER_NULLABILITY_COMPAT
      ;;
    *-ios*)
      for module in "${products[@]}"; do compile "$module" -O -c; done
      for mode in "5" "6" "5 -default-isolation MainActor" "6 -default-isolation MainActor"; do
        # shellcheck disable=SC2086
        swiftc -typecheck "${options[@]}" -parse-as-library -warnings-as-errors \
          -enable-upcoming-feature MemberImportVisibility -enable-upcoming-feature NonisolatedNonsendingByDefault \
          -module-name Sample -package-name stranger -swift-version $mode Documentation/AppleSamples/*.swift \
          || fail "the samples with UIKit or SwiftUI do not compile for $target with -swift-version $mode"
      done
      for kind in "${client_kinds[@]}"; do
        [[ $kind == *cxx* || $kind == *.swift* ]] || check_client "$kind" "${options[@]}" \
          || fail "a client does not compile for $target: $kind"
      done
      ;;
    *-musl)
      # The demo has no stand-in of Foundation for musl.
      for module in "${products[@]}"; do [[ $module == skins ]] || compile "$module" -Onone -c; done
      ;;
    # Not for watchOS with 32 bits, where an Int of these modules has 64 bits.
    *) for module in "${modules[@]}"; do compile "$module" -Onone -c; done ;;
  esac
}
systems=("$(apple macos)" "$(apple ios)" "$(apple tvos)" "$(apple watchos)" "$(apple visionos xros)")
if [[ -e /usr/include/x86_64-linux-musl/stdlib.h ]]; then
  systems+=(x86_64-swift-linux-musl)
else
  [[ ! ${CI:-} ]] || fail "nothing compiles for musl: needs the headers of Debian's package musl-dev on x86-64"
  echo "NOT COMPILED for musl: needs the headers of Debian's package musl-dev on x86-64"
fi

# Values without concurrency compile for 32 bits, with the embedded standard library: literals that are too large are
# errors there.
flags=$(target_flags EventBus) || fail "cannot read the settings of the package"
mapfile -t flags <<< "$flags"
swiftc -target armv7em-apple-none-macho -enable-experimental-feature Embedded -wmo -parse-as-library "${flags[@]}" \
  -package-name house -warnings-as-errors -c -module-name EventBus -o "$cross/narrow.o" Tests/Fixtures/Platforms/Narrow.swift \
  Sources/EventBus/Kit/{AtomicReferences,Heap,NumberedList}.swift Sources/EventBus/Timers/TimerSchedule.swift \
  Sources/EventBus/Delivery/{Observers/SweepProbe,Reclamation/ReclamationDomain,Reclamation/RetiredItems}.swift \
  || fail "EventBus does not compile for 32 bits"

# A launch entry is a section of pointers to functions, which the loader calls, with one entry, signed on arm64e.
cat > "$cross/Entry.swift" << 'END'
typealias LaunchEntry = @convention(c) () -> Void
@section("__DATA,__mod_init_func,mod_init_funcs") @used
private let entry: LaunchEntry = { }
END
objdump=$(dirname "$(readlink -f "$(command -v swiftc)")")/llvm-objdump
for architecture in arm64 arm64e; do
  swiftc -target "$architecture-apple-ios18.0" -enable-experimental-feature Embedded -wmo -parse-as-library -c \
    -module-name Entry "$cross/Entry.swift" -o "$cross/entry.o" || fail "no launch entry compiles for $architecture"
  section=$("$objdump" --private-headers "$cross/entry.o" | grep -A 9 'sectname __mod_init_func')
  [[ $section == *'size 0x0000000000000008'*'nreloc 1'*'type S_MOD_INIT_FUNC_POINTERS'* ]] \
    || fail "$architecture: the section of launch entries is not one function pointer: $section"
done

in_parallel system "${systems[@]}" || fail "$problems of ${#systems[@]} systems failed, see above"
echo "${systems[*]}"
