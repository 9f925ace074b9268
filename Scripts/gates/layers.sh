#!/usr/bin/env bash
# folders and modules use only the ones that Scripts/layers.txt allows
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

# below[X]: everything X may use, except X itself. A line may name only entries above it, which
# excludes cycles.
declare -A below=() divided=()
folders=()
while IFS=: read -r name uses; do
  [[ -z $name || $name == \#* ]] && continue
  [[ ! -v below[$name] ]] || fail "layers.txt: $name is listed twice"
  all=""
  if [[ $name == */*/* ]]; then
    folder=${name%/*}
    [[ -v below[$folder] ]] || fail "layers.txt: $name is listed above its folder"
    divided[$folder]=yes
    all=${below[$folder]}
  fi
  for use in $uses; do
    [[ -v below[$use] ]] || fail "layers.txt: $name uses $use, which is not listed above it"
    [[ $name != */* || ${use%/*} == "${name%/*}" ]] \
      || fail "layers.txt: $name names $use; list uses of other modules on the line of the module," \
        "and those of other folders on the line of the folder"
    for each in $use ${below[$use]}; do [[ " $all " == *" $each "* ]] || all+=" $each"; done
  done
  below[$name]=$all
  [[ $name != */* ]] || folders+=("$name")
done < Scripts/layers.txt

# Every source file is in a listed folder, and in a listed room if the folder has rooms.
while read -r file; do
  folder=${file#Sources/}
  folder=${folder%/*}
  while [[ $folder == */*/*/* ]]; do folder=${folder%/*}; done
  [[ $folder != */*/* || -v divided[${folder%/*}] ]] || folder=${folder%/*}
  [[ $folder == */* && -v below[$folder] && ! -v divided[$folder] ]] \
    || fail "$file is in no folder of Scripts/layers.txt. Move it, or list its folder."
done < <(swift_files Sources)

# A module imports only the modules it may. Without an import no name of a module can be used.
for module in "${modules[@]}"; do
  [[ -v below[$module] ]] || fail "layers.txt does not list the module $module"
  for other in "${modules[@]}"; do
    [[ " $module ${below[$module]} " == *" $other "* ]] && continue
    hits=$(grep -rnE --include='*.swift' "^[^/]*\bimport +([a-z]+ +)?$other\b" "Sources/$module" || true)
    [[ -z $hits ]] || fail "$module imports $other, which Scripts/layers.txt does not allow:"$'\n'"$hits"
  done
done

# The folders of a module that contain source files.
inhabited() {
  local folder
  for folder in "${folders[@]}"; do
    [[ ${folder%%/*} == "$1" && -n $(swift_files "Sources/$folder") ]] || continue
    printf '%s\n' "$folder"
  done
}

# Succeeds if a folder may use all of the given folders; a folder includes its rooms.
sees_all() {
  local folder
  for folder in $2; do
    [[ " $1 ${below[$1]} " == *" $folder "* || " $1 ${below[$1]} " == *" ${folder%/*} "* ]] || return 1
  done
}

# The rooms of the folder of a room, or nothing for another folder.
rooms_beside() {
  [[ $1 == */*/* ]] || return 0
  printf '%s\n' "${folders[@]}" | grep "^${1%/*}/"
}

# Compiles a folder with only the folders below it.
compile() {
  local module=$1 folder=$2 flags=() files=() each stamp
  stamp=$work/layers/${folder//\//-}
  mapfile -t flags <<< "$(cat "$work/layers/$module.flags")"
  for each in "$folder" ${below[$folder]}; do
    mapfile -t -O "${#files[@]}" files < <(swift_files "Sources/$each")
  done
  { printf '%s\n' "${flags[@]}" "${files[@]}"; cat "$work/layers/$module.imports" "${files[@]}"; } \
    | sha256sum > "$stamp.now"
  cmp -s "$stamp.now" "$stamp.passed" && return 0
  # Without -wmo the driver starts one compiler for each file.
  swiftc -typecheck -wmo -parse-as-library -module-name "$module" -package-name "$package" -suppress-warnings \
    -I "$interfaces" "${flags[@]}" "${files[@]}" || return 1
  mv "$stamp.now" "$stamp.passed"
}

compile_libraries
mkdir -p "$work/layers"
jobs=()
for module in "${modules[@]}"; do
  all=$(inhabited "$module")
  [[ -n $all ]] || fail "$module has no folders with source files"
  target_flags "$module" > "$work/layers/$module.flags" || fail "cannot read the settings of $module"
  for import in ${below[$module]}; do swift_files "Sources/$import" | xargs cat; done \
    > "$work/layers/$module.imports"
  for folder in $all; do
    # A folder that may use all others needs no separate compilation; a room is then compiled with its folder.
    rooms=$(rooms_beside "$folder")
    [[ -n $rooms ]] && sees_all "$folder" "$rooms" && continue
    sees_all "$folder" "$all" || jobs+=("$module $folder")
  done
done

# A folder that passed is compiled again only after one of the files has changed.
check() {
  compile $1 && return
  echo "${1#* } uses more than Scripts/layers.txt allows (only:${below[${1#* }]:- itself}). Move the declaration down or" \
    "the use up, or add the use to Scripts/layers.txt and give the reason in the commit."
  return 1
}
# The largest folders are last in the list and start first.
mapfile -t jobs < <(printf '%s\n' "${jobs[@]}" | tac)
in_parallel check "${jobs[@]}" || fail "$problems of ${#jobs[@]} folders failed, see above"
echo "${#jobs[@]} folders compiled with only the folders below them."
