#!/usr/bin/env bash
# Builds the modules of the standard library for a target: Scripts/gates/modules.sh TARGET FOLDER
#
# The toolchain of Linux contains the textual interfaces of these modules, with the availability of Apple's systems.
# Compiled for another target, they are enough to compile to object files there, but not to link: there is no
# library. FOLDER becomes a resource folder of the compiler (-resource-dir), with a cache of modules in it; for musl
# also an SDK, with the headers of Debian's musl-dev and of the kernel; for visionOS one with the versions of iOS that
# stand for its own.
set -euo pipefail
target=$1 folder=$2
architecture=${target%%-*}

case $target in
  *-apple-macos*) platform=macosx name=$architecture-apple-macos ;;
  *-apple-ios*) platform=iphoneos name=$architecture-apple-ios ;;
  *-apple-tvos*) platform=appletvos name=$architecture-apple-tvos ;;
  *-apple-watchos*) platform=watchos name=$architecture-apple-watchos ;;
  *-apple-xros*) platform=xros name=$architecture-apple-xros ;;
  *-linux-musl) platform=linux-static name=$target ;;
  *) echo "Unknown target $target" >&2; exit 2 ;;
esac

# Every interface names the target that it was written for, and imports modules of Linux that nothing in it needs.
edits=(-e "s/-target [^ ]+/-target $target/" -e '/^(@[a-zA-Z]+ |internal |private |public )*import (Glibc|Foundation)$/d')
if [[ $target == *-apple-* ]]; then
  # Bodies that Apple's systems lack: copies for older systems, and a call of Linux.
  edits+=(-e '/@backDeployed/d' -e 's/_swift_stdlib_gettid\(\)/UInt32(0)/')
fi

library=$(dirname "$(dirname "$(readlink -f "$(command -v swiftc)")")")/lib/swift
rm -rf "$folder"
mkdir -p "$folder/cache"
cp -r "$library/shims" "$folder/"
ln -s "$library/clang" "$folder/clang"
options=(-target "$target" -resource-dir "$folder" -module-cache-path "$folder/cache" -disable-objc-interop
  -plugin-path "$library/host/plugins")
if [[ $platform == linux-static ]]; then
  headers=$folder/sdk/usr/include
  mkdir -p "$folder/sdk/usr"
  cp -rL "/usr/include/$architecture-linux-musl" "$headers"
  cp -rL /usr/include/linux /usr/include/asm-generic "/usr/include/$architecture-linux-gnu/asm" "$headers/"
  options+=(-sdk "$folder/sdk")
fi
if [[ $platform == xros ]]; then
  mkdir -p "$folder/sdk"
  cat > "$folder/sdk/SDKSettings.json" << 'END'
{
  "CanonicalName": "xros", "Version": "26.0", "MaximumDeploymentTarget": "26.99",
  "VersionMap": {
    "iOS_visionOS": {
      "13.0": "1.0", "14.0": "1.0", "15.0": "1.0", "16.0": "1.0", "17.0": "1.0", "17.4": "1.1",
      "18.0": "2.0", "18.4": "2.4", "26.0": "26.0"
    },
    "visionOS_iOS": { "1.0": "17.0", "2.0": "18.0", "26.0": "26.0" }
  }
}
END
fi

# Swift itself, which would take half a minute for each target: its module for Linux, which imports no module of
# Linux, with the name of the target in place of the name of Linux. Zeros in its version make it as long.
linux=$(uname -m)-unknown-linux-gnu
label=$target.
while ((${#label} < ${#linux})); do label+=0; done
[[ $target == *-apple-* ]] || label=$linux
((${#label} == ${#linux})) || { echo "No name for $target has the length of $linux" >&2; exit 1; }
mkdir -p "$folder/$platform/Swift.swiftmodule"
LC_ALL=C sed "s/$linux/$label/" "$library/linux/Swift.swiftmodule/$linux.swiftmodule" \
  > "$folder/$platform/Swift.swiftmodule/$name.swiftmodule"

for module in _Concurrency SwiftOnoneSupport _Builtin_float Synchronization _StringProcessing Observation Testing; do
  # No test is compiled for musl.
  [[ $platform/$module != linux-static/Testing ]] || continue
  place=$folder/$platform/$module.swiftmodule
  mkdir -p "$place"
  sed -E "${edits[@]}" "$library/linux/$module.swiftmodule/$linux.swiftinterface" > "$place/$name.swiftinterface"
  parse=()
  case $module in _Concurrency | SwiftOnoneSupport | _Builtin_float) parse=(-parse-stdlib) ;; esac
  swiftc -frontend -compile-module-from-interface "${options[@]}" "${parse[@]}" -disable-availability-checking \
    -module-name "$module" -o "$place/$name.swiftmodule" "$place/$name.swiftinterface"
done
