#!/usr/bin/env bash
# Writes the public API as text, one line per declaration or conformance, to API/MODULE.txt.
#
#   Scripts/write-api.sh [FOLDER]
source "$(dirname "${BASH_SOURCE[0]}")/gates/common.sh"

folder=${1:-API}
compile_libraries
mkdir -p "$folder"
for module in "${published[@]}"; do
  jq -rs '
    [.[].symbols[]] as $symbols
    | [.[].relationships[]] as $relationships
    | ($symbols | map({key: .identifier.precise, value: (.pathComponents | join("."))})
        | from_entries) as $names
    | ($symbols[]
        | (.pathComponents | join(".")) + "\t"
          + (if .accessLevel == "open" then "open " else "" end)
          + ([.declarationFragments[].spelling] | join("") | gsub("\\s+"; " "))),
      ($relationships | group_by(.source)[]
        | any(.[]; .targetFallback == "Swift.Sendable") as $sendable
        | .[]
        | select((.kind == "conformsTo" or .kind == "inheritsFrom") and $names[.source] != null)
        | select(.targetFallback | . != "Swift.Copyable" and . != "Swift.Escapable")
        | select(($sendable and .targetFallback == "Swift.SendableMetatype") | not)
        | $names[.source] + "\t: " + ($names[.target] // .targetFallback // .target)
          + ((.swiftConstraints // [])
             | map(select(.rhs != "Copyable" and .rhs != "Escapable") | "\(.lhs) \(.kind) \(.rhs)")
             | if length > 0 then " where " + join(", ") else "" end))
  ' "$graphs/$module"/*.symbols.json | LC_ALL=C sort > "$folder/$module.txt"

  # The compiler's symbol graphs lose the calling convention of a function type. Such a type is named by
  # a type alias, whose text is the source's; anywhere else it would be lost silently.
  mapfile -t files < <(swift_files "$(folder_of "$module")")
  { grep -hE '^ *public .*@convention\(' "${files[@]}" || true; } | while read -r line; do
    [[ $line =~ ^public\ typealias\ ([A-Za-z]+)\ =\ (.*)$ ]] \
      || fail "the API text would lose the convention of: $line. Put it behind a public typealias."
    name=${BASH_REMATCH[1]} type=${BASH_REMATCH[2]}
    grep -q "^$name"$'\t'"typealias $name = " "$folder/$module.txt" || fail "no public $name in $module"
    awk -F '\t' -v OFS='\t' -v name="$name" -v type="$type" \
      '$1 == name && $2 ~ /^typealias / { $2 = "typealias " name " = " type } { print }' \
      "$folder/$module.txt" > "$folder/$module.new"
    mv "$folder/$module.new" "$folder/$module.txt"
  done
done
