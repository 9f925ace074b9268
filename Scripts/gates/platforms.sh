#!/usr/bin/env bash
# rules for platform code hold, values compile for 32 bits, and articles show the samples with UIKit
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

# The gate `cross` compiles the package for Apple's systems and musl. Here is what only rules and the embedded standard
# library of the toolchain see: it has targets with 32 bits and with signed pointers, but no concurrency.
embedded=(-enable-experimental-feature Embedded -wmo -parse-as-library)
flags=$(target_flags EventBus) || fail "cannot read the settings of the package"
mapfile -t flags <<< "$flags"
flags+=(-package-name house -warnings-as-errors)

platforms=$work/platforms
rm -rf "$platforms"
mkdir -p "$platforms"

# Exit tests do not exist on iOS, tvOS, watchOS and visionOS, where a file with one does not compile.
while read -r file; do
  [[ $file == *ExitTests.swift && $(head -n 1 "$file") == '#if os(Linux) || os(macOS)' && $(tail -n 1 "$file") == '#endif' ]] \
    || fail "$file contains exit tests; move them to …ExitTests.swift, all of it under #if os(Linux) || os(macOS)"
done < <(grep -rl --include='*.swift' 'processExitsWith' Tests)

# A list names the tests that run on Linux only, with the number of their conditions in each file and the reason.
only='canImport\(Glibc\)|os\(Linux\)|!canImport\(Darwin\)|!os\(macOS\)'
while read -r file; do
  awk -v only="$only" '
    /^ *#if / { depth++; alone[depth] = $0 ~ only && $0 !~ /[^!]os\(macOS\)|[^!]canImport\(Darwin\)/ }
    /^ *#else/ { alone[depth] = 0 }
    /^ *#endif/ { count += alone[depth--] }
    END { if (count) print FILENAME, count }
  ' "$file"
done < <(swift_files Tests) > "$work/linux-only.txt"
diff <(cut -d ' ' -f 1,2 Tests/linux-only.txt) "$work/linux-only.txt" \
  || fail "Tests/linux-only.txt does not list these conditions (> add with a reason, < remove), or port the tests"
! grep -vE '^[^ ]+ [0-9]+ [^ ]+ ' Tests/linux-only.txt || fail "Tests/linux-only.txt: give a reason on each line"

# A ladder of C libraries ends with an error for an unknown one, not with Apple's.
while read -r file; do
  awk '
    last ~ /^#else$/ && /import (Glibc|Musl|Darwin)/ { exit 1 }
    last ~ /^#(if|elseif) canImport\((Glibc|Musl|Darwin)\)/ && /import (Glibc|Musl|Darwin)/ { open = 1 }
    /^#else/ && !/^#elseif/ { open = 0 }
    /^#endif/ { if (nested) nested--; else if (open) exit 1; else open = 0 }
    /^#if/ && open { nested++ }
    { last = $0 }
  ' "$file" \
    || fail "$file takes any unknown C library for a known one; end with #elseif canImport(Darwin), #else, #error"
done < <(
  grep -rlE --include='*.swift' --exclude-dir=.build '^(.* )?import (Glibc|Musl|Darwin)' \
    Sources Examples Tests Snippets Benchmarks Integrations
)

# 32 bits, as on most watches: values without concurrency. Literals that are too large are errors there, when
# compiled. Shifts past the end are not: each that could be one names its type on the line.
while IFS= read -r line; do
  [[ $line =~ 64|128 ]] || fail "a shift that needs 64 bits, without a type that has them: $line"
done < <(grep -rnE --include='*.swift' '(<<|>>)[^=]? *(3[1-9]|[4-9][0-9])\b' Sources)
narrow=(
  Sources/EventBus/Kit/{AtomicWords,Heap,LazyReference,NumberedList,ObjectAddress,Range+Search,SweepProbe}.swift
  Sources/EventBus/Timers/{MissedTicks,Tick,TimerSchedule}.swift
  Sources/EventBus/Delivery/Reclamation/{ReclamationDomain,RetiredItems,UnlinkedItems}.swift
  Scripts/Platforms/Narrow.swift
)
swiftc -target armv7em-apple-none-macho "${embedded[@]}" "${flags[@]}" -c -module-name EventBus \
  "${narrow[@]}" -o "$platforms/narrow.o" || fail "EventBus does not compile for 32 bits"

# Launch entries in the files of Apple's systems: a section of pointers to functions, which the loader calls,
# with one entry, signed on arm64e.
cat > "$platforms/Entry.swift" << 'END'
typealias LaunchEntry = @convention(c) () -> Void
@section("__DATA,__mod_init_func,mod_init_funcs") @used
private let entry: LaunchEntry = { }
END
objdump=$(dirname "$(readlink -f "$(command -v swiftc)")")/llvm-objdump
[[ -x $objdump ]] || objdump=$(command -v llvm-objdump) || fail "needs llvm-objdump, a part of the toolchain"
for architecture in arm64 arm64e; do
  object=$platforms/$architecture.o
  swiftc -target "$architecture-apple-ios18.0" "${embedded[@]}" -c -module-name Entry "$platforms/Entry.swift" \
    -o "$object" || fail "a launch entry does not compile for $architecture"
  section=$("$objdump" --private-headers "$object" | grep -A 9 'sectname __mod_init_func')
  for fact in 'size 0x0000000000000008' 'nreloc 1' 'type S_MOD_INIT_FUNC_POINTERS'; do
    grep -q "$fact" <<< "$section" || fail "$architecture: the section of launch entries is not one function pointer: $fact"
  done
done

# A launch entry has a section for each object format: the compiler crashes on the wrong one.
while read -r file; do
  awk '/@section\("\.init_array"\)/ && last !~ /#else$/ { bad = 1 } { last = $0 } END { exit bad }' "$file" \
    || fail "$file has a launch entry without #if objectFormat(MachO)"
done < <(grep -rlE --include='*.swift' --include='*.md' '@section\("\.init_array"\)' Sources Examples Snippets Tests README.md)

# The samples with UIKit or SwiftUI, which the gate `cross` compiles, are shown by these articles, word for word.
articles=(
  Sources/LaunchLoader/LaunchLoader.docc/OnApplesSystems.md
  Sources/Theming/Theming.docc/InSwiftUI.md
  Sources/Theming/Theming.docc/ThemingOnApplesSystems.md
)
mapfile -t samples < <(swift_files Scripts/Platforms/Samples)
shown=0
for article in "${articles[@]}"; do
  while IFS= read -r -d '' program; do
    text=${program#*$'\n'}
    [[ $text =~ (^|$'\n')'import '(UIKit|SwiftUI) ]] || continue
    for sample in "${samples[@]}"; do
      [[ ${text%$'\n'} != "$(< "$sample")" ]] || { shown=$((shown + 1)); continue 2; }
    done
    fail "${program%%$'\n'*}: this sample is no file of Scripts/Platforms/Samples"
  done < <(programs "$article")
done
((shown == ${#samples[@]})) || fail "the articles show $shown of ${#samples[@]} files of Scripts/Platforms/Samples"
while read -r page; do
  [[ " ${articles[*]} " == *" $page "* ]] \
    || fail "$page imports UIKit or SwiftUI; such samples belong in one of: ${articles[*]}"
done < <(grep -rlE '^(/// *)?import (UIKit|SwiftUI)' Sources README.md)
