#!/usr/bin/env bash
# Checks that each target of the package in the current folder declares the modules it imports, those of the
# toolchain apart.
#
# SwiftPM finds modules that only another target has declared, but does not rebuild their importers when
# they change: the objects are stale, and an existing build folder no longer links.
set -euo pipefail

toolchain=" Darwin Dispatch Foundation FoundationEssentials FoundationNetworking Glibc Musl Synchronization Testing "
count=0
missing=0
while IFS='|' read -r target folder declared; do
  while read -r module; do
    count=$((count + 1))
    [[ "$toolchain $declared " == *" $module "* ]] && continue
    echo "error: $target imports $module: add it to the dependencies in Package.swift"
    missing=$((missing + 1))
  done < <(grep -RhE --include='*.swift' '^[a-z@ ]*import ' "$folder" | sed -E 's/ *\/\/.*//; s/.* //' | sort -u)
done < <(swift package dump-package | jq -r '.targets[]
  | .path //= (if .type == "test" then "Tests/" else "Sources/" end + .name)
  | [.dependencies[] | (.product // .byName // .target)[0]] as $declared
  # -module-alias NAME=MODULE: the module is imported as NAME.
  | [.settings[].kind.unsafeFlags._0[]? | split("=")
    | select(.[1] as $name | $declared | index($name)) | .[0]] as $aliases
  | [.name, .path, ($declared + $aliases | join(" "))] | join("|")')
((count > 0)) || { echo "error: found no imports" && exit 1; }
echo "imports: $((count - missing)) declared, $missing missing"
((missing == 0))
