#!/usr/bin/env bash
# misuse does not compile, or causes the expected warning
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

swift build || fail "the build"
modules_built=$(swift build --show-bin-path)/Modules
folder=$work/misuse
rm -rf "$folder"
mkdir -p "$folder"

# Declarations for all programs below, which see only the public API, with the settings of the package.
cat > "$folder/Prelude.swift" <<'SWIFT'
import EventBus
import LaunchLoader
import Theming

extension EventNames {
  static let number = EventName<Int>("misuse.number")
  static let nothing = EventName<Void>("misuse.nothing")
}

extension ThemeKeys {
  static let color = ThemeKey("misuse.color", default: RGBA(red: 0, green: 0, blue: 0))
  static let size = ThemeKey("misuse.size", default: 1)
}

let bus = EventBus()
let loader = LaunchLoader()

/// A type that may be shared between threads.
final class Shared: Sendable {}

/// A type that may not be shared between threads.
final class Unshared: Equatable {
  var count = 0

  static func == (left: Unshared, right: Unshared) -> Bool { left === right }
}

@MainActor
final class View {
  var color = RGBA(red: 0, green: 0, blue: 0)
  var size = 1
}

actor Worker {
  var count = 0

  func add(_ number: Int) { count += number }
}
SWIFT

flags=$(target_flags skins) || fail "cannot read the settings of the package"
mapfile -t flags <<< "$flags"
((${#flags[@]} > 2)) || fail "found no settings in Package.swift"

expectations=0
broken=0

# Reports an expectation that was not met, with the output of the compiler.
complain() {
  echo "BROKEN: $1"
  sed 's/^/          /' "$folder/said"
  broken=$((broken + 1))
}

# expect warning|error|nothing MESSAGE TITLE <<'PROGRAM': compiles PROGRAM. There must be at least one
# diagnostic, and all warnings and errors must be of this kind and match MESSAGE.
expect() {
  local kind=$1 message=$2 title=$3 status=0 diagnostics others
  expectations=$((expectations + 1))
  cat > "$folder/Program.swift"
  swiftc -typecheck "${flags[@]}" -diagnostic-style llvm -package-name stranger \
    -I "$modules_built" "$folder/Prelude.swift" "$folder/Program.swift" \
    > "$folder/said" 2>&1 || status=$?
  diagnostics=$(grep -E '(error|warning): ' "$folder/said" || true)
  others=$(grep -vE -- "$kind: .*($message)" <<< "$diagnostics" || true)
  if [[ $kind == nothing ]]; then
    [[ $status == 0 && -z $diagnostics ]] || complain "$title: expected no diagnostic"
  elif [[ -z $diagnostics && $status == 0 ]]; then
    complain "$title: compiled without a diagnostic; expected this $kind: $message"
  elif [[ -z $diagnostics || -n $others || ($kind == warning && $status != 0) ]]; then
    complain "$title: expected only this $kind: $message"
  fi
}

refuses() { expect error "$@"; }
warns() { expect warning "$@"; }
accepts() { expect nothing '' "$@"; }

source Scripts/gates/promises.sh

((expectations > 0)) || fail "promises.sh has no expectations"
((broken == 0)) || fail "$broken of $expectations expectations not met, see above"
echo "$expectations expectations."
