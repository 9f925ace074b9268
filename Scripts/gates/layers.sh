#!/usr/bin/env bash
# one-way arrows between rooms and modules, as Scripts/layers.txt draws them
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

# below[X]: everything X may use, itself left out. A line may only name what stands above it,
# which is also why there can be no circle.
declare -A below=()
rooms=()
while IFS=: read -r name uses; do
  [[ -z $name || $name == \#* ]] && continue
  [[ ! -v below[$name] ]] || fail "layers.txt: $name is listed twice"
  all=""
  for use in $uses; do
    [[ -v below[$use] ]] || fail "layers.txt: $name uses $use, which is not listed above it"
    [[ $name != */* || ${use%%/*} == "${name%%/*}" ]] \
      || fail "layers.txt: the room $name names $use; arrows between modules are the module's"
    for each in $use ${below[$use]}; do [[ " $all " == *" $each "* ]] || all+=" $each"; done
  done
  below[$name]=$all
  [[ $name != */* ]] || rooms+=("$name")
done < Scripts/layers.txt

# Every source file stands in a listed room.
while read -r file; do
  room=${file#Sources/}
  room=${room%/*}
  while [[ $room == */*/* ]]; do room=${room%/*}; done
  [[ $room == */* && -v below[$room] ]] \
    || fail "$file stands in no room of Scripts/layers.txt. Move it, or list its room."
done < <(swift_files Sources)

# Compiles the named rooms as MODULE, which sees only the modules it may import.
compile() {
  local module=$1 settings flags=() files=() import room
  shift
  settings=$(target_flags "$module") || fail "cannot read the settings of $module"
  mapfile -t flags <<< "$settings"
  for import in ${below[$module]}; do flags+=(-I "$work/modules/$import"); done
  while [[ $1 == -* ]]; do
    flags+=("$1")
    shift
  done
  for room in "$@"; do
    mapfile -t -O "${#files[@]}" files < <(swift_files "Sources/$room")
  done
  ((${#files[@]})) || return 0
  swiftc -parse-as-library -module-name "$module" -package-name house \
    -suppress-warnings "${flags[@]}" "${files[@]}"
}

# The rooms of a module that hold anything.
inhabited() {
  local room
  for room in "${rooms[@]}"; do
    [[ ${room%%/*} == "$1" && -n $(swift_files "Sources/$room") ]] || continue
    printf '%s\n' "$room"
  done
}

# Whether a room may use all of the given rooms.
sees_all() {
  local room
  for room in $2; do
    [[ $room == "$1" || " ${below[$1]} " == *" $room "* ]] || return 1
  done
}

checked=0
for module in "${modules[@]}"; do
  [[ -v below[$module] ]] || fail "layers.txt does not list the module $module"
  mkdir -p "$work/modules/$module"
  compile "$module" -emit-module "-emit-module-path=$work/modules/$module/$module.swiftmodule" \
    "$module" || fail "$module does not compile with only:${below[$module]:- nothing}"
  all=$(inhabited "$module")
  [[ -n $all ]] || fail "$module has no rooms"
  for room in $all; do
    checked=$((checked + 1))
    sees_all "$room" "$all" && continue  # It was compiled as the module.
    # shellcheck disable=SC2086
    compile "$module" -typecheck "$room" ${below[$room]} \
      || fail "$room uses more than it may (only:${below[$room]:- itself}). Move the name down," \
        "or the use up; a new arrow is a line in Scripts/layers.txt and a reason in its commit."
  done
done
echo "$checked rooms."
