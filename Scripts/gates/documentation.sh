#!/usr/bin/env bash
# public declarations are documented, DocC has no warnings, landing pages are complete, links lead somewhere
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

command -v python3 > /dev/null || fail "python3 is missing, which turns relative links into those of DocC"

# A link with a hash, such as ``every(_:_:)-1abcd``, breaks when any parameter changes.
hashed=$(grep -rnoE --include='*.md' --include='*.swift' '``[^`]*\)-[0-9a-z]{4,6}``' "${sources[@]}" || true)
[[ -z $hashed ]] || fail "these links contain a hash; name the types, or link to an article:"$'\n'"$hashed"

# Links of Markdown files to files, as a forge follows them; code is left out.
links=0
lost=()
while IFS=: read -r page link; do
  links=$((links + 1))
  link=${link%%#*}
  [[ -z $link || -e ${page%/*}/$link ]] || lost+=("$page: $link")
done < <(
  git ls-files -z --cached --others --exclude-standard './*.md' | while IFS= read -r -d '' page; do
    [[ -f $page ]] || continue
    awk '/^ *(```|~~~)/ { code = !code } !code { gsub(/`[^`]*`/, ""); print }' "$page" \
      | grep -oE '\]\([^)# ]+[^) ]*\)|(href|src)="[^"]+"' | sed -E 's/^(\]\(|(href|src)=")//; s/[)"]$//' \
      | grep -vE '^(https?|mailto|doc):' | sed "s|^|./$page:|" || true
  done
)
((links > 20)) || fail "found only $links links in Markdown files"
((${#lost[@]} == 0)) || fail "these links lead to no file:"$'\n'"$(printf '  %s\n' "${lost[@]}")"

compile_libraries
for module in "${published[@]}"; do
  bare=$(jq -r '
    .symbols[] | select(.kind.identifier != "swift.extension" and .location != null)
    | select((.docComment.lines // []) | map(.text) | join("") | test("\\S") | not)
    | "  \(.location.uri | sub("^.*/(?<top>Sources|Integrations)/"; "\(.top)/")):"
      + "\(.location.position.line + 1): \(.pathComponents | join("."))"
  ' "$graphs/$module"/*.symbols.json)
  [[ -z $bare ]] || fail "add documentation comments in $module:"$'\n'"$bare"

  page=$(folder_of "$module")/$module.docc/$module.md
  [[ -f $page ]] || fail "$page is missing"
  python3 -B Scripts/links.py "${page%/*}" "$work/catalogs/$module.docc" || fail "see the links above"
  docc convert "$work/catalogs/$module.docc" --additional-symbol-graph-dir "$graphs/$module" \
    --fallback-display-name "$module" --fallback-bundle-identifier "$module" \
    --output-dir "$work/$module.doccarchive" --warnings-as-errors || fail "the catalog of $module does not build"

  # The landing page is the table of contents and lists every page, and every public type and function. Overloaded
  # functions are left to DocC: each link to one would need a hash, which changes with its parameters.
  absent=$(
    for article in "${page%/*}"/*.md; do
      article=${article##*/}
      [[ $article == "$module.md" ]] || grep -qE "^- \[.*\]\($article\)$" "$page" || echo "$article"
    done
    jq -r --rawfile page "$page" --arg library "$module" '
      [.symbols[] | select(.pathComponents | length == 1)] | group_by(.pathComponents[0])[]
      | select(length == 1) | .[0].pathComponents[0]
      | select(. as $name | $page
          | contains("- ``\($name)``") or contains("- ``\($library)/\($name)``") | not)
    ' "$graphs/$module/$module.symbols.json" | LC_ALL=C sort -u
  )
  [[ -z $absent ]] || fail "$page does not list ${absent//$'\n'/, }"
done
echo "$links links to files, ${#published[@]} catalogs."
