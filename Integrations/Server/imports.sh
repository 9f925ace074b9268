#!/usr/bin/env bash
# Checks that each target declares the modules it imports, those of the toolchain apart.
#
# SwiftPM finds modules that only another target has declared, but does not rebuild what imports them when
# they change: the objects are stale, and an existing build folder no longer links.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

toolchain=" Darwin Dispatch Foundation Glibc Musl Synchronization Testing "
count=0
missing=0
while IFS='|' read -r target folder declared; do
  while read -r module; do
    count=$((count + 1))
    [[ "$toolchain $declared " == *" $module "* ]] && continue
    echo "error: $target imports $module: add it to the dependencies in Package.swift"
    missing=$((missing + 1))
  done < <(grep -rhE --include='*.swift' '^[a-z@ ]*import ' "$folder" | sed -E 's/.* //' | sort -u)
done < <(swift package dump-package | jq -r '.targets[]
  | .path //= (if .type == "test" then "Tests/" else "Sources/" end + .name)
  | [.name, .path, ([.dependencies[] | (.product // .byName // .target)[0]] | join(" "))] | join("|")')
((count > 0)) || { echo "error: found no imports" && exit 1; }
echo "imports: $((count - missing)) declared, $missing missing"
((missing == 0))
