#!/usr/bin/env bash
# Creates a separate repository from a package in Integrations.
#
#   Scripts/publish.sh --address URL     writes the address of the organization everywhere it is shown or used
#   Scripts/publish.sh NAME [FOLDER]     splits Integrations/NAME into a bare repository in FOLDER
#   Scripts/publish.sh --list            prints the names, and the repository of each
#
# The split has the history of the folder alone. It is checked: its manifest must take the libraries by URL,
# and depend on nothing else at a path. Nothing is pushed; the last lines name the commands for that.
set -euo pipefail
cd "$(dirname "$0")/.."

declare -A repositories=(
  [Logging]=EventBusLogging [Metrics]=EventBusMetrics [Tracing]=EventBusTracing
  [ServiceLifecycle]=ServiceLifecycleBridge [NATS]=EventBusNATS [Inspector]=EventBusInspector
)
fail() {
  echo "error: $*" >&2
  exit 1
}

# The address in the manifests, the same in all of them.
address() {
  local addresses
  addresses=$(sed -nE 's|.*\.package\(url: "(.*)/EventBus", from: .*|\1|p' Integrations/*/Package.swift | sort -u)
  [[ -n $addresses && $addresses != *$'\n'* ]] || fail "the manifests name no address, or several: $addresses"
  echo "$addresses"
}

case ${1:-} in
  --list)
    for name in "${!repositories[@]}"; do echo "$name ${repositories[$name]}"; done | LC_ALL=C sort
    exit 0
    ;;
  --address)
    new=${2:?the address is missing: Scripts/publish.sh --address https://HOST/ORGANIZATION}
    new=${new%/}
    [[ $new == *://*/* && $new != *[\|\&\\\"\ ]* ]] || fail "not an address such as https://HOST/ORGANIZATION: $new"
    old=$(address)
    git grep -lF "$old" -- '*.md' '*.swift' '*.yml' | while read -r file; do
      [[ -L $file ]] || sed -i "s|${old//./\\.}|$new|g" "$file"
    done
    echo "$old is $new now; review with git diff, and commit."
    exit 0
    ;;
  '' | -*) fail "usage: Scripts/publish.sh NAME [FOLDER], with a name of: $("$0" --list | cut -d ' ' -f 1 | xargs)" ;;
esac

name=$1
[[ -v repositories[$name] ]] || fail "there is no package $name; the names are: $("$0" --list | cut -d ' ' -f 1 | xargs)"
repository=${repositories[$name]}
folder=${2:-.build/publish}
[[ -z $(git status --porcelain -- "Integrations/$name") ]] || fail "commit the changes in Integrations/$name first"
mkdir -p "$folder"
target=$(cd "$folder" && pwd)/$repository.git
rm -rf "$target"
git init --quiet --bare --initial-branch main "$target"
commit=$(git subtree -q split --prefix "Integrations/$name" 2> /dev/null)
git push --quiet "$target" "$commit:refs/heads/main"

# The check: the clone is complete, and its manifest needs no folder around it.
clone=$(mktemp -d)
trap 'rm -rf "$clone"' EXIT
git clone --quiet "$target" "$clone/$repository"
for file in Package.swift README.md LICENSE .gitignore; do
  [[ -e $clone/$repository/$file ]] || fail "Integrations/$name has no $file"
done
cmp -s LICENSE "Integrations/$name/LICENSE" || fail "Integrations/$name/LICENSE differs from LICENSE"
description=$(swift package --package-path "$clone/$repository" dump-package) || fail "the manifest does not load"
paths=$(jq -r '.dependencies[].fileSystem[]?.path' <<< "$description")
[[ -z $paths ]] || fail "depends on packages at a path: $paths"
urls=$(jq -r '.dependencies[].sourceControl[]?.location.remote[]?.urlString' <<< "$description")
grep -qx "$(address)/EventBus" <<< "$urls" || fail "does not depend on $(address)/EventBus"
dangling=$(find "$clone/$repository" -xtype l | sed "s|^$clone/$repository/||")
listed=$(jq -r '.targets[].path // empty' <<< "$description")
for link in $dangling; do
  ! grep -qE "^(${link//\//\\/}|${link%/*})\$" <<< "$listed" || fail "a target uses a link that leads out of the package: $link"
done
echo "$target: $repository at $commit"
echo "Push it, and the tag of the release:"
echo "  git push $(address)/$repository $commit:refs/heads/main $commit:refs/tags/VERSION"
