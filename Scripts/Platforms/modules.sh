#!/usr/bin/env bash
# Builds the modules of the standard library for a target: Scripts/Platforms/modules.sh TARGET FOLDER
#
# The toolchain of Linux contains the textual interfaces of these modules, with the availability of Apple's systems.
# Compiled for another target, they are enough to compile to object files there, but not to link: there is no
# library. FOLDER becomes a resource folder of the compiler (-resource-dir), with a cache of modules in it; for musl
# also an SDK, with the headers of Debian's musl-dev and of the kernel.
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
  # Bodies that Apple's systems lack: copies for older systems, a call of Linux, arithmetic of 80-bit numbers.
  edits+=(
    -e '/@backDeployed/d'
    -e 's/_swift_stdlib_gettid\(\)/UInt32(0)/'
    -e 's/self = _stdlib_(remainder|squareRoot)l\(self(, other)?\)/fatalError()/'
  )
fi

library=$(dirname "$(dirname "$(readlink -f "$(command -v swiftc)")")")/lib/swift
rm -rf "$folder"
mkdir -p "$folder/cache"
cp -r "$library/shims" "$folder/"
ln -s "$library/clang" "$folder/clang"
options=(-target "$target" -resource-dir "$folder" -module-cache-path "$folder/cache" -disable-objc-interop)
if [[ $platform == linux-static ]]; then
  headers=$folder/sdk/usr/include
  mkdir -p "$folder/sdk/usr"
  cp -rL "/usr/include/$architecture-linux-musl" "$headers"
  cp -rL /usr/include/linux /usr/include/asm-generic "/usr/include/$architecture-linux-gnu/asm" "$headers/"
  options+=(-sdk "$folder/sdk")
fi
for module in Swift _Concurrency SwiftOnoneSupport _Builtin_float Synchronization _StringProcessing Observation; do
  place=$folder/$platform/$module.swiftmodule
  mkdir -p "$place"
  sed -E "${edits[@]}" "$library/linux/$module.swiftmodule/$(uname -m)-unknown-linux-gnu.swiftinterface" > "$place/$name.swiftinterface"
  parse=()
  case $module in Swift | _Concurrency | SwiftOnoneSupport | _Builtin_float) parse=(-parse-stdlib) ;; esac
  swiftc -frontend -compile-module-from-interface "${options[@]}" "${parse[@]}" -disable-availability-checking \
    -module-name "$module" -o "$place/$name.swiftmodule" "$place/$name.swiftinterface"
done
