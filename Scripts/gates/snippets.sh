#!/usr/bin/env bash
# every sample compiles as it is shown, and is part of a snippet that runs, or is a file of tests
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

# Prints a snippet as its readers see it: without the comment at its head, and without hidden lines.
visible() {
  awk '
    !begun && /^(\/\/.*)?$/ { next }
    { begun = 1 }
    /^ *\/\/ snippet\.hide$/ { hidden = 1; next }
    /^ *\/\/ snippet\.show$/ { hidden = 0; next }
    hidden { next }
    # One blank line where hidden lines leave two.
    /^$/ { blank = 1; next }
    { if (blank && any) print ""; blank = 0; any = 1; print }
  ' "$1"
}

mapfile -t snippets < <(swift_files Documentation/Snippets/*/)
((${#snippets[@]} > 0)) || fail "Documentation/Snippets is empty"
# A sample that imports Testing is not a program, but a file of a test target, which runs with the tests.
mapfile -t suites < <(swift_files Tests/*/Documentation)
((${#suites[@]} > 0)) || fail "no suite was found in Tests/*/Documentation"
declare -A shown=()   # The visible text of each snippet.
declare -A shows=()   # The snippet with this visible text.
declare -A used=()    # The snippets that a page shows.
for snippet in "${snippets[@]}" "${suites[@]}"; do
  text=$(visible "$snippet")
  shown[$snippet]=$text
  shows[$text]=$snippet
done
# Files that an article shows whole: those of the daemon, which tests run, and those for Apple's systems, which the gate
# `cross` compiles.
mapfile -t whole < <(swift_files Examples/Daemon Documentation/AppleSamples)
declare -A unshown=()
for file in "${whole[@]}"; do unshown[$file]=1; done

# Loads the graph of a package with the given manifest. Its address leads to this repository, as the release 1.0.0, and
# its path to a clone beside it.
is_a_manifest() {
  local place app
  place=$PWD/$work/manifest
  app=$place/App
  rm -rf "$place"
  mkdir -p "$app/Sources/App"
  git clone --quiet --bare . "$place/EventBus.git"
  git -C "$place/EventBus.git" tag 1.0.0 "$(git rev-parse HEAD)"
  git clone --quiet "$place/EventBus.git" "$place/EventBus"
  printf '%s\n' "$1" > "$app/Package.swift"
  echo 'import EventBus' > "$app/Sources/App/App.swift"
  GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=url.file://$place/.insteadOf \
    GIT_CONFIG_VALUE_0=$(sed -nE 's|.*url: "(.*/)EventBus", from: .*|\1|p' "$app/Package.swift" | head -n 1) \
    swift package --package-path "$app" --cache-path "$place/cache" \
    --config-path "$place/config" --security-path "$place/security" show-dependencies > "$work/manifest.log" 2>&1 \
    && ! grep -E '(error|warning): ' "$work/manifest.log" || { cat "$work/manifest.log"; return 1; }
}

# Finds the snippets that contain a program as a run of whole lines, apart from a common indentation.
is_in_a_snippet() {
  local text=$1 indentation snippet found=1
  for indentation in 0 2 4; do
    ((indentation == 0)) || text=$(sed 's/^./  &/' <<< "$text")
    for snippet in "${snippets[@]}"; do
      [[ $'\n'${shown[$snippet]}$'\n' != *$'\n'"$text"$'\n'* ]] || { used[$snippet]=1; found=0; }
    done
  done
  return "$found"
}

# Finds the file that an article shows whole, with this text.
is_a_file() {
  local file
  for file in "${whole[@]}"; do
    [[ $1 != "$(< "$file")" ]] || { unset "unshown[$file]"; return 0; }
  done
  return 1
}

samples=$work/samples
mkdir -p "$samples"
declare -A places=()
problems=0
problem() {
  echo "$*"
  problems=$((problems + 1))
}

# 1. A program of README.md or of an article is the whole visible text of a snippet or of a suite, or a file of the
# daemon or for Apple's systems. A program of a documentation comment is a part of a snippet. A manifest is neither, and is loaded.
mapfile -t pages < <(
  printf '%s\n' README.md CONTRIBUTING.md
  find Sources Integrations/Observation -name '*.md' | LC_ALL=C sort
  # The pages of NotificationCenterBridge are not here: they are for programs that import Foundation.
  swift_files Sources Integrations/Testing Integrations/Pictures Integrations/Observation
)
for page in "${pages[@]}"; do
  while IFS= read -r -d '' program; do
    place=${program%%$'\n'*}
    text=${program#*$'\n'}
    text=${text%$'\n'}
    if [[ $text == *'import PackageDescription'* ]]; then
      is_a_manifest "$text" || problem "$place: this manifest is not valid"
      continue
    elif [[ $page == *.swift ]]; then
      is_in_a_snippet "$text" || problem "$place: this sample is in no file of Documentation/Snippets"
      # The documentation of a module has imported it.
      case $page in
        Integrations/Testing/*) imports=$'import EventBus\nimport EventBusTesting' ;;
        Integrations/Pictures/*) imports=$'import LaunchLoader\nimport LaunchPictures' ;;
        Integrations/Observation/*)
          imports=$'import EventBus\nimport Observation\nimport ObservationBridge\nimport Theming'
          ;;
        *) imports=${page#Sources/} imports="import ${imports%%/*}" ;;
      esac
      [[ $text =~ (^|$'\n')'import ' ]] || text=$imports$'\n'$text
    elif is_a_file "$text"; then
      continue
    elif [[ -n ${shows[$text]:-} ]]; then
      used[${shows[$text]}]=1
    else
      problem "$place: this sample, with those that continue it, is not the visible text of a snippet"
    fi
    file=$samples/$(sha256sum <<< "$text" | cut -c 1-16).swift
    printf '%s\n' "$text" > "$file"
    places[$file]=$place
  done < <(programs "$page")
done
((problems == 0)) || fail "a file in Documentation/Snippets must show each sample above, word for word"
((${#places[@]} > 0)) || fail "no sample was found; check the list of pages in this gate"
for snippet in "${snippets[@]}" "${suites[@]}"; do
  [[ -n ${used[$snippet]:-} ]] || problem "$snippet: no page shows this snippet"
done
for file in "${!unshown[@]}"; do problem "$file: no page shows this file as it is"; done
((problems == 0)) || fail "delete the snippets above, or show them"

# 2. Every program compiles as it is shown, without warnings, against the public API. One that passed is
# compiled again only after the libraries have changed.
compile_libraries
flags=(-swift-version 6 -warnings-as-errors -enable-upcoming-feature MemberImportVisibility
  -package-name stranger)
compiles() {
  [[ ! ${1%.swift}.passed -nt $interfaces/state ]] || return 0
  swiftc -typecheck "${flags[@]}" -module-name Sample -I "$interfaces" "$1" && touch "${1%.swift}.passed" && return
  echo "${places[$1]}: this sample does not compile as it is shown"
  return 1
}
in_parallel compiles "${!places[@]}" || fail "$problems of ${#places[@]} samples do not compile"

# 3. Every snippet runs and ends. Their package links each with the libraries, which takes minutes; here all of them
# link one library with the objects of the tests. The whole check builds the package.
programs=$PWD/$work/snippets
if [[ ${CHECK_FULL:-} ]]; then
  swift build --package-path Documentation/Snippets --scratch-path .build/snippets || fail "the package of snippets"
  programs=$(swift build --package-path Documentation/Snippets --scratch-path .build/snippets --show-bin-path)
else
  swift build --build-tests || fail "the build"
  build=$(swift build --show-bin-path)
  mkdir -p "$programs"
  mapfile -t objects < <(
    grep -E "/($(IFS='|'; echo "${published[*]}"))\.build/" "$build/EventBusPackageTests.product/Objects.LinkFileList"
  )
  ((${#objects[@]} > 100)) || fail "the build has left no objects of the libraries"
  swiftc -emit-library "${objects[@]}" -o "$programs/libSnippets.so" || fail "the objects of the libraries do not link"
  modules_state=$(cd "$build/Modules" && cat "${published[@]/%/.swiftmodule}" | sha256sum)
fi
mapfile -t listed < <(swift package --package-path Documentation/Snippets dump-package \
  | jq -r '.targets[] | "Documentation/Snippets/\(.path)/\(.sources[0])"' | LC_ALL=C sort)
[[ ${listed[*]} == "${snippets[*]}" ]] \
  || fail "Documentation/Snippets/Package.swift: $(diff <(printf '%s\n' "${listed[@]}") <(printf '%s\n' "${snippets[@]}") | grep '^[<>]')"

# Builds a snippet unless it, and the interfaces of the libraries, are those of the last time; then runs it.
runs() {
  local name state
  name=$(basename "$1" .swift)
  if [[ -z ${CHECK_FULL:-} ]]; then
    state="$modules_state $(sha256sum < "$1")"
    if [[ ! -x $programs/$name || $state != "$(cat "$programs/$name.state" 2> /dev/null)" ]]; then
      swiftc "${flags[@]}" -module-name "$name" -I "$build/Modules" -L "$programs" -lSnippets \
        -Xlinker "-rpath=\$ORIGIN" "$1" -o "$programs/$name" || return
      printf '%s' "$state" > "$programs/$name.state"
    fi
  fi
  timeout 20 "$programs/$name" || { echo "$1 ended with status $?"; return 1; }
}
in_parallel runs "${snippets[@]}" || fail "$problems snippets do not compile, or do not end"
echo "${#places[@]} samples, ${#snippets[@]} snippets, ${#suites[@]} suites."
