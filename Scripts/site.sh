#!/usr/bin/env bash
# Builds one static site with the documentation of all modules: the libraries, the products beside them, and the
# packages in Integrations.
#
#   Scripts/site.sh [FOLDER]      into FOLDER, by default .build/site; python3 -m http.server -d .build/site shows it
#   Scripts/site.sh --base PATH   for a server that shows the folder at /PATH
#   Scripts/site.sh --source URL  with links to the sources, which are at URL, such as https://HOST/REPOSITORY/blob/main
#
# No package is built: the symbols of the libraries and products are those of the gates, and the symbols of a package in
# Integrations are those that its check.sh has extracted. Where they are missing or older than the sources, the site has
# only the articles of the package, and the output says so.
set -euo pipefail
folder=
base=()
source_links=()
sources_at=
while (($#)); do
  case $1 in
    --base) base=(--hosting-base-path "${2:?the path is missing: --base PATH}"); shift ;;
    --source)
      sources_at=${2:?the address is missing: --source URL}
      source_links=(--source-service github --source-service-base-url "$sources_at")
      shift
      ;;
    -*) sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "$0"; exit 1 ;;
    *) folder=$(realpath -m "$1") ;;
  esac
  shift
done
source "$(dirname "${BASH_SOURCE[0]}")/gates/common.sh"
folder=${folder:-$PWD/.build/site}
((${#source_links[@]} == 0)) || source_links+=(--checkout-path "$PWD")
# An earlier site is replaced, and nothing else.
[[ -z $(ls -A "$folder" 2> /dev/null) || -d $folder/data/documentation ]] || fail "$folder is in use, not for a site"

archives=$work/site-archives
rm -rf "$archives"
mkdir -p "$archives"
# The archives so far, and the options that let links and declarations of the next module lead to them.
built=()
dependencies=()

# Converts a catalog with symbols: convert MODULE CATALOG SYMBOLS [OPTION...]
convert() {
  local module=$1 catalog=$2 symbols=$3 archive=$PWD/$archives/$1.doccarchive
  shift 3
  python3 -B Scripts/links.py "$catalog" "$archives/$module.docc" ${sources_at:+"$sources_at"} \
    || fail "the catalog of $module has links that lead nowhere"
  docc convert "$archives/$module.docc" --additional-symbol-graph-dir "$symbols" --output-dir "$archive" \
    --fallback-display-name "$module" --fallback-bundle-identifier "$module" --fallback-default-module-kind Module \
    --enable-experimental-external-link-support "${dependencies[@]}" "${base[@]}" "${source_links[@]}" "$@" \
    > "$archives/$module.log" 2>&1 || fail "the catalog of $module does not build: $(cat "$archives/$module.log")"
  built+=("$archive")
  dependencies+=(--dependency "$archive")
}

compile_libraries
for module in "${published[@]}"; do
  convert "$module" "$(folder_of "$module")/$module.docc" "$graphs/$module" --warnings-as-errors
done

packages=()
for catalog in Integrations/*/Sources/*/*.docc; do
  module=$(basename "$catalog" .docc)
  package=${catalog%%/Sources/*}
  symbols=$package/.build/documentation/$module
  packages+=("$module")
  if [[ -s $symbols/$module.symbols.json ]] \
    && [[ -z $(find "$package/Sources" -name '*.swift' -newer "$symbols/$module.symbols.json") ]]; then
    convert "$module" "$catalog" "$symbols" --warnings-as-errors
  else
    checks=$package/check.sh
    [[ -e $checks ]] || checks=Integrations/Server/check.sh
    echo "Left out: the symbols of $module, which are not extracted from its present sources." \
      "For the whole site: bash $checks build documentation"
    symbols=$archives/$module.symbols
    mkdir "$symbols"
    jq -n --arg name "$module" '{
      metadata: {formatVersion: {major: 0, minor: 6, patch: 0}, generator: "site.sh"},
      module: {name: $name, platform: {}}, symbols: [], relationships: []
    }' > "$symbols/$module.symbols.json"
    # Links to the symbols are text.
    convert "$module" "$catalog" "$symbols" --diagnostic-level error
  fi
done

rm -rf "$folder"
mkdir -p "${folder%/*}"
docc merge "${built[@]}" --output-path "$folder" --synthesized-landing-page-name "EventBus, LaunchLoader, Theming" \
  --synthesized-landing-page-kind "Swift package"

# DocC lists all modules by their names, and says nothing about the package.
landing=$folder/data/documentation.json
jq --arg libraries "${modules[*]}" --arg products "${parts[*]}" --arg packages "${packages[*]}" '
  def section($title; $modules): {
    title: $title, anchor: ($title | gsub(" "; "-")),
    identifiers: [$modules | split(" ")[] | "doc://\(.)/documentation/\(.)"]
  };
  .abstract = [{type: "text", text: "Typed events, launch work and services, and themes for views."}]
  | .topicSectionsStyle = "list"
  | .topicSections = [
      section("Libraries"; $libraries),
      section("Products beside them"; $products),
      section("Packages beside them"; $packages)
    ]
' "$landing" > "$archives/landing.json"
mv "$archives/landing.json" "$landing"

# The pages load this file, and report an error without it.
echo '{}' > "$folder/theme-settings.json"
# DocC has no page at the root.
cat > "$folder/index.html" << 'PAGE'
<!doctype html>
<html lang="en">
<meta charset="utf-8">
<link rel="icon" href="favicon.ico">
<meta http-equiv="refresh" content="0; url=documentation/">
<title>EventBus, LaunchLoader, Theming</title>
<a href="documentation/">Documentation</a>
</html>
PAGE
echo "$folder: $(find "$folder/data" -name '*.json' | wc -l) pages of $((${#published[@]} + ${#packages[@]})) modules."
