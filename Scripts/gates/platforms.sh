#!/usr/bin/env bash
# platform code and samples type-check for Apple's systems, musl and 32 bits
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

# The toolchain of Linux carries an embedded standard library for Apple's targets and for bare machines, which
# is enough to type-check files without concurrency. The C libraries are the stand-ins in Scripts/Platforms.
# It does not check concurrency, which the gate `cross` does, nor linking and behavior.
embedded=(-enable-experimental-feature Embedded -wmo -parse-as-library)
flags=$(target_flags EventBus) || fail "cannot read the settings of the package"
mapfile -t flags <<< "$flags"
flags+=(-package-name house -warnings-as-errors)

platforms=$work/platforms
rm -rf "$platforms"

# Files that import a C library, grouped by the module they are compiled as.
kit=(Sources/EventBus/Kit/{CurrentThread,Diagnostics,LockedForThreadSanitizer,Trap}.swift)
system=(
  Sources/LaunchLoader/System/{ServiceProcess,SignalDisposition,SignalPipe,UnixAddress}.swift
  Sources/LaunchLoader/System/UnixSignal.swift
)
terminal=(Examples/Terminal/{LastWill,TerminalDevice}.swift)
# The files that tests on Linux and macOS share, and the programs that they start.
support=(
  Tests/TestSupport/{Files,Program,RunningProgram,Screen,Screen+Sequences,ScratchPath,SequenceParser,Spawn}.swift
  Tests/TestSupport/{SystemLibrary,Terminal,TerminalModes,TerminalProgram}.swift
)
fixture=(Tests/Fixtures/Signals/{Descendants,Handlers,MiniShell,SystemLibrary}.swift)
# These use tasks, clocks or the main actor, which the embedded library lacks for these targets. The gate `cross`
# compiles them.
unchecked=(Examples/Terminal/Keyboard.swift Examples/Skins/Skins.swift)

# A file with a C library is in one of the lists, so that code for a platform stays in files that can be
# checked.
while read -r file; do
  [[ " ${kit[*]} ${system[*]} ${terminal[*]} ${unchecked[*]} " == *" $file "* ]] \
    || fail "$file imports a C library and is not type-checked; move that code to a file of ${BASH_SOURCE[0]##*/}"
done < <(grep -rlE --include='*.swift' '^(@.* )?((private|internal|package|public) )?import (Glibc|Musl|Darwin)\b' Sources Examples)

# Exit tests do not exist on iOS, tvOS, watchOS and visionOS, where a file with one does not compile.
while read -r file; do
  [[ $file == *ExitTests.swift && $(head -n 1 "$file") == '#if os(Linux) || os(macOS)' && $(tail -n 1 "$file") == '#endif' ]] \
    || fail "$file contains exit tests; move them to …ExitTests.swift, all of it under #if os(Linux) || os(macOS)"
done < <(grep -rl --include='*.swift' 'processExitsWith' Tests)

# An isolated deinit is newer than the declared systems.
while read -r file; do
  grep -q '@available(macOS 15.4' "$file" || fail "$file has an isolated deinit without @available(macOS 15.4, *)"
done < <(grep -rlE --include='*.swift' '^ *isolated deinit' Sources Examples Tests Snippets)

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
  # The lock for ThreadSanitizer replaces the one that needs a newer Synchronization module.
  swiftc "${common[@]}" "${flags[@]}" -DTSAN -emit-module -module-name EventBus "${kit[@]}" \
    -o "$folder/EventBus.swiftmodule" || fail "EventBus does not type-check with $library"
  swiftc "${common[@]}" "${flags[@]}" -typecheck -module-name LaunchLoader "${system[@]}" \
    || fail "LaunchLoader does not type-check with $library"
  swiftc "${common[@]}" "${flags[@]}" -typecheck -module-name Terminal "${terminal[@]}" \
    Examples/Terminal/Size.swift || fail "Terminal does not type-check with $library"
  # The tests are not for musl. The embedded library has no module for macOS: iOS is used instead.
  [[ $library == Darwin ]] || return 0
  rm -rf "$folder/macos"
  mkdir -p "$folder/macos"
  cp "${system[@]}" "$folder/macos/"
  sed -i 's/\bos(macOS)/os(iOS)/' "$folder/macos"/*.swift
  swiftc "${common[@]}" "${flags[@]}" -typecheck -module-name LaunchLoader "$folder/macos"/*.swift \
    || fail "LaunchLoader does not type-check with $library, as for macOS"
  local tests=$folder/tests
  rm -rf "$tests"
  mkdir -p "$tests/support" "$tests/fixture"
  cp "${support[@]}" "$tests/support/"
  cp "${fixture[@]}" "$tests/fixture/"
  sed -i 's/\bos(macOS)/os(iOS)/' "$tests"/*/*.swift
  echo 'func say(_ line: String) {}' > "$tests/fixture/Say.swift"
  local module
  for module in support fixture; do
    # Untyped errors are a warning in the embedded language.
    swiftc "${common[@]}" "${flags[@]}" -Wwarning EmbeddedRestrictions -typecheck -module-name "$module" \
      "$tests/$module"/*.swift 2> "$tests/$module.log" \
      || { grep -A 3 'error: ' "$tests/$module.log"; fail "the $module of the tests does not type-check with $library"; }
  done
}

check Darwin arm64-apple-ios18.0
# Apple's headers declare the argument of a thread in both ways.
check Darwin arm64-apple-ios18.0 -Xcc -D_PTHREAD_SWIFT_IMPORTER_NULLABILITY_COMPAT
check Musl x86_64-unknown-none-elf

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

# Availability: the standard library of Linux records in which version of Apple's systems a symbol appeared. Every one
# that the libraries use is as old as the platforms that Package.swift declares, except these, each of which
# is beside an #available.
newer_allowed='^Task\.immediate\(.*\) in '
mkdir -p "$platforms/symbols"
for module in Swift _Concurrency Synchronization _StringProcessing; do
  swift-symbolgraph-extract -module-name "$module" -target "$(target_triple)" -minimum-access-level public \
    -output-dir "$platforms/symbols" || fail "cannot extract the symbols of $module"
done
# The version of iOS represents the others, which were released together.
describe_package
ios=$(jq -r '.platforms[] | select(.platformName == "ios").version' "$work/package.json")
jq -r --arg ios "$ios" '
  ($ios | split(".") | map(tonumber)) as $declared
  | .symbols[] | . as $symbol | .availability[]?
  | select(.domain == "iOS" and .introduced)
  | select([.introduced.major, .introduced.minor // 0] > $declared)
  | "\($symbol.identifier.precise | sub("(?<v>[vi])pZ?$"; "\(.v)"))\t\($symbol.pathComponents | join("."))"
' "$platforms"/symbols/*.json | sort -u > "$platforms/newer.txt"
(($(wc -l < "$platforms/newer.txt") > 100)) || fail "found no availability in the standard library"
cut -f 1 "$platforms/newer.txt" > "$platforms/newer-usrs.txt"

# The samples with UIKit or SwiftUI are shown by these articles, word for word, and compile against stand-ins of
# these, in language modes 5 and 6, with and without the main actor as the default isolation.
compile_libraries
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
kits=$platforms/kits
mkdir -p "$kits"
for kit in UIKit SwiftUI; do
  swiftc -emit-module -parse-as-library -swift-version 6 -warnings-as-errors -module-name "$kit" \
    "Scripts/Platforms/Kits/$kit.swift" -o "$kits/$kit.swiftmodule" || fail "the stand-in of $kit does not compile"
done
for mode in 5 6 '5 -default-isolation MainActor' '6 -default-isolation MainActor'; do
  # shellcheck disable=SC2086
  swiftc -typecheck -wmo -parse-as-library -warnings-as-errors -swift-version $mode \
    -enable-upcoming-feature MemberImportVisibility -enable-upcoming-feature NonisolatedNonsendingByDefault \
    -module-name Sample -package-name stranger -I "$interfaces" -I "$kits" "${samples[@]}" \
    || fail "the samples with UIKit or SwiftUI do not compile with -swift-version $mode"
done

plugins=$(dirname "$(dirname "$(readlink -f "$(command -v swiftc)")")")/lib/swift/host/plugins
for module in "${modules[@]}"; do
  flags=$(target_flags "$module") || fail "cannot read the settings of $module"
  mapfile -t flags <<< "$flags"
  mapfile -t files < <(swift_files "Sources/$module")
  for file in "${files[@]}"; do
    primary+=(-primary-file "$file")
  done
  swiftc -frontend -dump-ast -dump-ast-format json -plugin-path "$plugins" -parse-as-library -I "$interfaces" \
    -module-name "$module" -package-name "$package" "${flags[@]}" "${primary[@]}" \
    > "$platforms/$module.json" 2> "$platforms/$module.log" || fail "cannot dump $module: $(head -3 "$platforms/$module.log")"
  primary=()
  (($(grep -c -m 1 'Locked' "$platforms/$module.json") == 1)) || fail "the dump of $module is empty"
  used=$(grep -oFf "$platforms/newer-usrs.txt" "$platforms/$module.json" | sort -u || true)
  while read -r usr; do
    [[ -n $usr ]] || continue
    name=$(awk -F '\t' -v usr="$usr" '$1 == usr { print $2; exit }' "$platforms/newer.txt")
    grep -qE "$newer_allowed" <<< "$name in $module" || fail "$module uses $name, which is newer than the package declares"
  done <<< "$used"
done
while read -r file; do
  (($(grep -c 'Task\.immediate' "$file") <= $(grep -c '#available(macOS 26' "$file"))) \
    || fail "$file uses Task.immediate, which is newer than the package declares, without #available"
done < <(grep -rlE --include='*.swift' '^[^/]*Task\.immediate' Sources)
