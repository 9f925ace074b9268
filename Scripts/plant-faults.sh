#!/usr/bin/env bash
# Plants faults in the libraries, one at a time, and checks that a test notices each.
#
#   Scripts/plant-faults.sh NAME…              these: Tests/Faults/NAME.patch
#   Scripts/plant-faults.sh --touched [BASE]   those whose files or tests differ from BASE, by default from the base of .ci/run;
#                                              all, if that is unknown
#   Scripts/plant-faults.sh --tenth [NUMBER]   every tenth, by default those of the day
#   Scripts/plant-faults.sh --all
#   Scripts/plant-faults.sh --within SECONDS … leaves out, and names, those for which no time is left
#
# A fault is a patch. Its first line is the rule whose loss it shows, and a line before the first `diff --git` names
# the tests that notice: `Test: EXPRESSION`, as `swift test --filter` takes it. These tests must pass without the
# patch; with it one must fail, crash, or not end in four times the time that it takes without, and ten seconds.
#
# Nothing changes in the tree. The files of a patch are compiled in a copy, against the modules of the debug build, and
# linked with its other objects. So a fault changes the bodies of functions, and no stored property or signature.
source "$(dirname "${BASH_SOURCE[0]}")/gates/common.sh"
root=$PWD

within=0
if [[ ${1:-} == --within ]]; then
  within=$2
  shift 2
fi
mapfile -t all < <(find Tests/Faults -name '*.patch' | LC_ALL=C sort)
chosen=()
case ${1:-} in
  --all) chosen=("${all[@]}") ;;
  --tenth)
    number=${2:-$(date +%j)}
    for ((i = 10#$number % 10; i < ${#all[@]}; i += 10)); do chosen+=("${all[i]}"); done
    ;;
  --touched)
    base=${2:-$(base_commit)}
    [[ $base ]] || chosen=("${all[@]}")
    # A file has also changed under its old name.
    changed=$(git diff --no-renames --name-only "${base:-HEAD}" --) || fail "there is no commit $base"
    changed+=$'\n'$(git ls-files --others --exclude-standard)
    mapfile -t suites < <(sed -nE 's|^Tests/.*/([^/+]+)(\+[^/]*)?\.swift$|\1|p' <<< "$changed" | sort -u)
    for patch in ${base:+"${all[@]}"}; do
      while read -r file; do
        grep -qxF -- "$file" <<< "$changed" && chosen+=("$patch") && continue 2
      done < <(echo "$patch"; sed -n 's|^diff --git a/.* b/||p' "$patch")
      for suite in "${suites[@]}"; do
        grep -qE "^Test: .*\b$suite\b" "$patch" && chosen+=("$patch") && continue 2
      done
    done
    ;;
  '' | -*) sed -n '2,/^source/s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
  *) for name in "$@"; do chosen+=("Tests/Faults/$(basename "$name" .patch).patch"); done ;;
esac
if ((within > 0 && ${#chosen[@]} > 0)); then
  # Another one is the first each day.
  first=$((10#$(date +%j) % ${#chosen[@]}))
  chosen=("${chosen[@]:first}" "${chosen[@]:0:first}")
fi
declare -A filters=()
for patch in "${chosen[@]}"; do
  [[ -f $patch ]] || fail "there is no $patch"
done
# Every patch must have this form and fit the tree, including those that are not planted now.
unfit=0
for patch in "${all[@]}"; do
  filters[$patch]=$(sed -n '/^diff --git/q; s/^Test: //p' "$patch")
  problem=
  [[ ${filters[$patch]} ]] || problem="names no tests: a line 'Test: EXPRESSION' before the first 'diff --git'"
  [[ $(grep -c '^diff --git a/' "$patch") == $(grep -c '^+++ b/' "$patch") ]] || problem="has no 'diff --git' line for each file"
  [[ $problem ]] || git apply --check --whitespace=nowarn "$patch" 2> "$work/unfit.log" || problem="does not fit: $(head -n 1 "$work/unfit.log")"
  [[ -z $problem ]] || { echo "DOES NOT APPLY: $patch $problem"; unfit=$((unfit + 1)); }
done
((unfit == 0)) || exit 1
if ((${#chosen[@]} == 0)); then
  echo "0 faults: none is in a file that changed."
  exit
fi

swift build --build-tests > "$work/faults.log" 2>&1 || fail "the tree without a fault does not build, see $work/faults.log"
build=$(swift build --show-bin-path)
faults=$root/.build/faults
# The tests find the programs that they start in their own folder.
planted=$faults/programs
tests=$planted/EventBusPackageTests.xctest
mkdir -p "$planted"
mapfile -t programs < <(programs_of_the_package)
# The name by which the package manager knows this package: its folder's.
identity=$(grep -m 1 -oE '"-package-name","[^"]+"' .build/debug.yaml | sed -E 's/.*,"(.*)"/\1/;q') || true
[[ $identity ]] || fail ".build/debug.yaml does not name the package"

# Prints the module of a source file.
module_of() {
  local module
  for module in "${published[@]}"; do [[ $1 != "$(folder_of "$module")"/* ]] || { echo "$module"; return; }; done
}

# Compiles a file of the copy as a part of its module: compile FILE OBJECT
compile() {
  local module flags files=() file
  module=$(module_of "$1")
  [[ $module ]] || { echo "error: $1 is in no library"; return 1; }
  mapfile -t flags < <(target_flags "$module")
  while read -r file; do
    [[ $file != "$1" ]] || files+=(-primary-file)
    [[ -e $copy/$file ]] && files+=("$copy/$file") || files+=("$file")
  done < <(swift_files "$(folder_of "$module")")
  swiftc -frontend -c "${files[@]}" -target "$(target_triple)" -disable-objc-interop -I "$build/Modules" -Onone \
    -enable-testing -parse-as-library -D SWIFT_PACKAGE -D DEBUG -module-name "$module" -package-name "$identity" \
    -module-cache-path "$faults/modules" -enable-anonymous-context-mangled-names -Xcc -fPIC -warnings-as-errors \
    -plugin-path "$(dirname "$(dirname "$(readlink -f "$(command -v swiftc)")")")/lib/swift/host/plugins" \
    "${flags[@]}" -o "$2"
}

# Links a program of the build, with the planted objects where it has objects of these files: link PROGRAM FILE OPTION...
link() {
  local objects=$faults/objects file
  cp "$build/$1.product/Objects.LinkFileList" "$objects"
  for file in "${touched[@]}"; do
    sed -i "s|.*/$(module_of "$file").build/$(basename "$file").o$|$faults/$(basename "$file").o|" "$objects"
  done
  rm -f "$2"
  swiftc -emit-executable -use-ld=lld -module-name "$1" -L "$build" "@$objects" -Xlinker '-rpath=$ORIGIN' \
    -Xlinker --strip-debug -o "$2" "${@:3}"
}

# Compiles what a patch changes, and links the tests with it; a fault of LaunchLoader is also in the programs:
# plant PATCH [unchanged]
plant() {
  local file object objects=$build/EventBusPackageTests.product/Objects.LinkFileList module program
  copy=$faults/copy
  rm -rf "$copy"
  mkdir -p "$copy"
  mapfile -t touched < <(sed -n 's|^diff --git a/.* b/||p' "$1")
  for file in "${touched[@]}"; do cp --parents "$file" "$copy" || return; done
  # Outside of a repository, as far as git knows.
  [[ ${2:-} ]] || (cd "$copy" && GIT_CEILING_DIRECTORIES=$faults git apply --whitespace=nowarn "$root/$1") || return
  for file in "${touched[@]}"; do
    object=$faults/$(basename "$file").o
    verdict="DOES NOT COMPILE"
    compile "$file" "$object" || return
    module=$(module_of "$file")
    grep -q "/$module.build/$(basename "$file").o$" "$objects" || { echo "error: the build has no object of $file"; return 1; }
  done
  verdict="DOES NOT LINK"
  link EventBusPackageTests "$tests" || return
  for program in "${programs[@]}"; do
    if [[ " ${touched[*]}" == *" Sources/LaunchLoader/"* ]]; then
      link "$program" "$planted/$program" -Xlinker --defsym -Xlinker "main=${program}_main" || return
    else
      ln -sf "$build/$program" "$planted/$program"
    fi
  done
  verdict=
}

# Runs tests one at a time: tests_pass PROGRAM SECONDS EXPRESSION...
tests_pass() {
  local expression options=()
  for expression in "${@:3}"; do options+=(--filter "$expression"); done
  timeout -k 5 "$2" "$1" --testing-library swift-testing --no-parallel "${options[@]}" < /dev/null
}

"$build/EventBusPackageTests.xctest" --testing-library swift-testing --list-tests > "$faults/list.txt" 2> /dev/null || true
for patch in "${all[@]}"; do
  grep -qP -- "${filters[$patch]}" "$faults/list.txt" || fail "$patch: no test matches '${filters[$patch]}'"
  for suite in $(grep -oE '\b[A-Z]\w*Tests\b' <<< "${filters[$patch]}"); do
    grep -qw -- "$suite" "$faults/list.txt" || fail "$patch: there is no suite $suite"
  done
done
# The unchanged tests must pass here as well, before a failure of them means something.
verdict=
plant "${chosen[0]}" unchanged > "$faults/unchanged.log" 2>&1 \
  && tests_pass "$tests" 300 "${filters[${chosen[0]}]}" >> "$faults/unchanged.log" 2>&1 \
  || fail "${verdict:-tests fail} when the files of ${chosen[0]} are compiled unchanged; see .build/faults/unchanged.log"

noticed=0
bad=0
left=()
for patch in "${chosen[@]}"; do
  name=$(basename "$patch" .patch)
  log=$faults/$name.log
  if ((within > 0 && SECONDS > within)); then
    left+=("$name")
    continue
  fi
  began=$SECONDS
  status=0
  verdict="DOES NOT APPLY"
  if plant "$patch" > "$log" 2>&1; then
    # The same tests without the fault tell a test that does not end from a slow one.
    start=${EPOCHREALTIME//[!0-9]/}
    if tests_pass "$build/EventBusPackageTests.xctest" 300 "${filters[$patch]}" > "$log" 2>&1; then
      limit=$(((${EPOCHREALTIME//[!0-9]/} - start) * 4 / 1000000 + 10))
      tests_pass "$tests" "$limit" "${filters[$patch]}" > "$log" 2>&1 || status=$?
      case $status in
        0) verdict=UNNOTICED ;;
        69 | 126 | 127) verdict="NO TEST RAN" ;;
        124 | 137) how="did not end" ;;
        1) how="a test failed" ;;
        *) how="status $status" ;;
      esac
    else
      verdict="DOES NOT PASS WITHOUT IT"
      print_failures "$log"
    fi
  fi
  if [[ $verdict ]]; then
    bad=$((bad + 1))
    grep -E -m 5 'error:' "$log" || true
    echo "$verdict: $name: $(head -n 1 "$patch") (see .build/faults/$name.log)"
  else
    noticed=$((noticed + 1))
    echo "noticed: $name: $how, $((SECONDS - began)) s"
  fi
done
((${#left[@]} == 0)) || echo "Not planted, for want of time: ${left[*]}"
echo "$noticed faults noticed, $bad not."
((bad == 0))
