#!/usr/bin/env bash
# platform code type-checks for Apple's systems, musl and 32 bits
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

# The toolchain of Linux carries an embedded standard library for Apple's targets and for bare machines, which
# is enough to type-check files without concurrency. The C libraries are the stand-ins in Scripts/Platforms.
# What this cannot see: concurrency, linking, and behaviour.
embedded=(-enable-experimental-feature Embedded -wmo -parse-as-library)
flags=$(target_flags EventBus) || fail "cannot read the settings of the package"
mapfile -t flags <<< "$flags"
flags+=(-package-name house -warnings-as-errors)

platforms=$work/platforms
rm -rf "$platforms"

# Files that import a C library, grouped by the module they are compiled as.
kit=(Sources/EventBus/Kit/{CurrentThread,Diagnostics,LockedForThreadSanitizer}.swift)
system=(
  Sources/LaunchLoader/System/{ServiceProcess,ServiceThread,SignalDisposition,SignalPipe,UnixAddress}.swift
  Sources/LaunchLoader/System/UnixSignal.swift
)
terminal=(Examples/Terminal/{LastWill,TerminalDevice}.swift)
# These use tasks, clocks or the main actor, which the embedded library lacks for these targets.
unchecked=(Examples/Terminal/Keyboard.swift Examples/Skins/Skins.swift)

# A file with a C library is in one of the lists, so that code for a platform stays in files that can be
# checked.
while read -r file; do
  [[ " ${kit[*]} ${system[*]} ${terminal[*]} ${unchecked[*]} " == *" $file "* ]] \
    || fail "$file imports a C library and is not type-checked; move that code to a file of ${BASH_SOURCE[0]##*/}"
done < <(grep -rlE --include='*.swift' '^(@.* )?((private|internal|package|public) )?import (Glibc|Musl|Darwin)\b' Sources Examples)

# A ladder of C libraries ends with an error for an unknown one, not with Apple's.
while read -r file; do
  ! awk 'last ~ /^#else$/ && /import Darwin/ { found = 1 } { last = $0 } END { exit !found }' "$file" \
    || fail "$file takes any unknown C library for Darwin; end with #elseif canImport(Darwin), #else, #error"
done < <(grep -rlE --include='*.swift' 'import Darwin' Sources Examples Tests Snippets)

# Type-checks all lists for a target with the stand-in of its C library.
check() {
  local library=$1 target=$2
  local folder=$platforms/$library
  mkdir -p "$folder"
  cp "Scripts/Platforms/$library"/*.h "Scripts/Platforms/$library/module.modulemap" "$folder/"
  local common=(-target "$target" "${embedded[@]}" -I "$folder" "${@:3}")
  swiftc "${common[@]}" -emit-module -module-name "$library" -import-underlying-module \
    "Scripts/Platforms/$library/Overlay.swift" -o "$folder/$library.swiftmodule" \
    || fail "the stand-in of $library does not compile"
  # The lock for ThreadSanitizer stands in for the one that needs a newer Synchronization module.
  swiftc "${common[@]}" "${flags[@]}" -DTSAN -emit-module -module-name EventBus "${kit[@]}" \
    -o "$folder/EventBus.swiftmodule" || fail "EventBus does not type-check with $library"
  swiftc "${common[@]}" "${flags[@]}" -typecheck -module-name LaunchLoader "${system[@]}" \
    || fail "LaunchLoader does not type-check with $library"
  swiftc "${common[@]}" "${flags[@]}" -typecheck -module-name Terminal "${terminal[@]}" \
    Examples/Terminal/Size.swift || fail "Terminal does not type-check with $library"
}

check Darwin arm64-apple-ios18.0
# Apple's headers declare the argument of a thread in both ways.
check Darwin arm64-apple-ios18.0 -Xcc -D_PTHREAD_SWIFT_IMPORTER_NULLABILITY_COMPAT
check Musl x86_64-unknown-none-elf
