#!/usr/bin/env bash
# libraries compile to object files for macOS, iOS and musl, and to SIL for tvOS
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

# The compiler of Linux generates code for other systems. What it lacks are the modules of the standard library, which
# Scripts/Platforms/modules.sh builds from their textual interfaces, and the C library: for Apple's systems the
# stand-in in Scripts/Platforms, for musl its own headers. Nothing is linked, nothing runs, and the interoperability
# with Objective-C is off: no branch for `canImport(ObjectiveC)` is compiled.
cross=$work/cross
mkdir -p "$cross"

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

# Chooses a target: its folder, which is a resource folder of the compiler, with the modules of the standard library,
# and the stand-ins. The modules are built again when the toolchain changes.
use() {
  target=$1 folder=$cross/$1
  local state stand_ins
  options=(-target "$target" -resource-dir "$folder" -module-cache-path "$folder/cache" -I "$folder/modules"
    -parse-as-library -wmo -Xfrontend -disable-objc-interop)
  state=$({ swiftc --version 2> /dev/null; cat Scripts/Platforms/modules.sh; } | sha256sum)
  if [[ $state != "$(cat "$folder/state" 2> /dev/null)" ]]; then
    bash Scripts/Platforms/modules.sh "$target" "$folder" > "$cross/modules.log" 2>&1 \
      || fail "the modules of the standard library do not compile for $target: $(grep -m 3 error: "$cross/modules.log")"
    printf '%s' "$state" > "$folder/state"
  fi
  mkdir -p "$folder/modules"
  if [[ $target == *-apple-* ]]; then
    stand_ins=(Scripts/Platforms/Darwin/* Scripts/Platforms/Kits/Foundation.swift)
    cp Scripts/Platforms/Darwin/*.h Scripts/Platforms/Darwin/module.modulemap "$folder/modules/"
    stand_in Darwin Scripts/Platforms/Darwin/Overlay.swift -import-underlying-module
    stand_in Foundation Scripts/Platforms/Kits/Foundation.swift
  else
    stand_ins=(Scripts/Platforms/Musl/Overlay.swift)
    options+=(-sdk "$folder/sdk")
    { echo 'module Musl [system] {'
      printf "  header \"$PWD/$folder/sdk/usr/include/%s.h\"\n" "${headers[@]}"
      printf '  export *\n}\n'
    } > "$folder/modules/module.modulemap"
    stand_in Musl Scripts/Platforms/Musl/Overlay.swift -import-underlying-module
  fi
  base=$(cat "$folder/state" "${stand_ins[@]}" | sha256sum)
}

# The headers of musl that the module of the C library has here.
headers=(dlfcn errno fcntl poll pthread sched signal stdlib sys/ioctl sys/socket sys/stat sys/un termios time unistd)

# Compiles a stand-in for the target in use: stand_in MODULE FILE OPTION...
stand_in() {
  swiftc "${options[@]}" -swift-version 6 -emit-module -module-name "$1" "${@:3}" "$2" -o "$folder/modules/$1.swiftmodule" \
    || fail "the stand-in of $1 does not compile for $target"
}

# Compiles modules of the package for the target in use, each after those that it imports, with the settings of
# the package and optimized: compile objects|sil MODULE... Skipped when nothing has changed since it succeeded.
compile() {
  local kind=$1 module dependency flags files output state
  local -A states=()
  shift
  for module in "$@"; do
    flags=$(target_flags "$module" && warning_flags "$module") || fail "cannot read the settings of $module"
    mapfile -t flags <<< "$flags"
    mapfile -t files < <(swift_files "$(jq -r --arg name "$module" '
      .targets[] | select(.name == $name) | .path // "Sources/\($name)"' "$work/package.json")")
    output=$folder/$module.$([[ $kind == sil ]] && echo sil || echo o)
    state=$base
    while read -r dependency; do
      state+=${states[$dependency]:-}
    done < <(jq -r --arg name "$module" '.targets[] | select(.name == $name) | .dependencies[].byName[0]' "$work/package.json")
    state=$({ echo "$state" "$kind" "${flags[@]}" "${files[@]}"; declare -f compile; cat "${files[@]}"; } | sha256sum)
    states[$module]=$state
    if [[ $state != "$(cat "$output.state" 2> /dev/null)" || ! -s $output ]]; then
      rm -f "$output" "$output.state"
      swiftc "${options[@]}" "${flags[@]}" -warnings-as-errors -package-name "$package" -O \
        "$([[ $kind == sil ]] && echo -emit-sil || echo -c)" -module-name "$module" \
        -emit-module -emit-module-path "$folder/modules/$module.swiftmodule" "${files[@]}" -o "$output" \
        > "$cross/$module.log" 2>&1 || { cat "$cross/$module.log"; fail "$module does not compile for $target"; }
      [[ ! -s $cross/$module.log ]] || { cat "$cross/$module.log"; fail "$module compiles for $target with warnings"; }
      printf '%s' "$state" > "$output.state"
    fi
    check_output "$kind" "$output"
    echo "$module: $kind for $target"
  done
}

# Checks that a file is what was asked for: an object file of the target, or SIL with functions.
check_output() {
  if [[ $1 == sil ]]; then
    (($(grep -c '^sil ' "$2") > 10)) || fail "$2 contains no SIL"
    return
  fi
  local beginning
  beginning=$(od -An -v -tx1 -N 20 "$2" | tr -d ' \n')
  case $target in
    # Mach-O, 64 bits; arm64; an object file. ELF, 64 bits; relocatable; x86-64.
    arm64-apple-*) [[ $beginning == cffaedfe0c000001????????01000000* ]] ;;
    x86_64-*) [[ $beginning == 7f454c460201????????????????????01003e00* ]] ;;
  esac || fail "$2 is no object file for $target: it begins with $beginning"
}

describe_package
# The libraries, every product beside them that imports no Foundation, and the demo. One file of the demo imports
# Foundation, of which Scripts/Platforms/Kits has a stand-in for Apple's systems.
products=("${modules[@]}" EventBusTesting LaunchPictures ObservationBridge _EventBusLocks)
demo=(Checklist Terminal skins)

# Not for visionOS: where an interface does not name it, the version follows from a table in its SDK. Not for watchOS
# with 32 bits: in the interfaces of this toolchain, an Int has 64 bits.
use "arm64-apple-macos$(declared macos)"
compile objects "${products[@]}" "${demo[@]}"
use "arm64-apple-ios$(declared ios)"
compile objects "${products[@]}" "${demo[@]}"
# The clients of the gate `clients`, without C++.
for kind in "${client_kinds[@]}"; do
  [[ $kind != *cxx* && $kind != *.swift* ]] || continue
  check_client "$kind" "${options[@]}" || fail "a client does not compile for $target: $kind"
done
if [[ -e /usr/include/x86_64-linux-musl/stdlib.h ]]; then
  use x86_64-swift-linux-musl
  compile objects "${products[@]}" Checklist Terminal
elif [[ ${CI:-} ]]; then
  fail "nothing was compiled for musl: needs the headers of Debian's package musl-dev on x86-64"
else
  echo "NOT COMPILED for musl: needs the headers of Debian's package musl-dev on x86-64"
fi
use "arm64-apple-tvos$(declared tvos)"
compile sil "${modules[@]}"
