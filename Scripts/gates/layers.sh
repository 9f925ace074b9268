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

# A module imports only what it may. An import cannot be hidden: without one no name can be used.
for module in "${modules[@]}"; do
  [[ -v below[$module] ]] || fail "layers.txt does not list the module $module"
  for other in "${modules[@]}"; do
    [[ " $module ${below[$module]} " == *" $other "* ]] && continue
    hits=$(grep -rnE --include='*.swift' "^[^/]*\bimport +([a-z]+ +)?$other\b" "Sources/$module" || true)
    [[ -z $hits ]] || fail "$module imports $other, which Scripts/layers.txt does not allow:"$'\n'"$hits"
  done
done

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

# Compiles a room with only the rooms below it. A room that has passed is not compiled again until one
# of the files changes.
compile() {
  local module=$1 room=$2 flags=() files=() each stamp
  stamp=$work/layers/${room//\//-}
  mapfile -t flags <<< "$(cat "$work/layers/$module.flags")"
  for each in "$room" ${below[$room]}; do
    mapfile -t -O "${#files[@]}" files < <(swift_files "Sources/$each")
  done
  { printf '%s\n' "${flags[@]}" "${files[@]}"; cat "$work/layers/$module.imports" "${files[@]}"; } \
    | sha256sum > "$stamp.now"
  cmp -s "$stamp.now" "$stamp.passed" && return 0
  swiftc -typecheck -parse-as-library -module-name "$module" -package-name "$package" -suppress-warnings \
    -I "$built" "${flags[@]}" "${files[@]}" > "$stamp.log" 2>&1 || return 1
  mv "$stamp.now" "$stamp.passed"
}

# The modules that are imported are those of the last build.
swift build || fail "the build"
built=$(swift build --show-bin-path)/Modules
# As the package manager names it: after its folder.
package=$(basename "$PWD" | tr '[:upper:]' '[:lower:]' | tr -c '[:alnum:]\n' _)
mkdir -p "$work/layers"
jobs=()
for module in "${modules[@]}"; do
  all=$(inhabited "$module")
  [[ -n $all ]] || fail "$module has no rooms"
  target_flags "$module" > "$work/layers/$module.flags" || fail "cannot read the settings of $module"
  for import in ${below[$module]}; do swift_files "Sources/$import" | xargs cat; done \
    > "$work/layers/$module.imports"
  for room in $all; do
    sees_all "$room" "$all" || jobs+=("$module $room")  # The others are compiled with the module.
  done
done

# As many at a time as there are cores; the largest rooms stand last in the list and go first.
running=0
for ((i = ${#jobs[@]} - 1; i >= 0; i--)); do
  read -r module room <<< "${jobs[i]}"
  rm -f "$work/layers/${room//\//-}.failed"
  ((running < $(nproc))) || { wait -n || true; running=$((running - 1)); }
  { compile "$module" "$room" || touch "$work/layers/${room//\//-}.failed"; } &
  running=$((running + 1))
done
wait

failed=0
for job in "${jobs[@]}"; do
  read -r module room <<< "$job"
  [[ -e $work/layers/${room//\//-}.failed ]] || continue
  cat "$work/layers/${room//\//-}.log" >&2
  echo "$room uses more than it may (only:${below[$room]:- itself}). Move the name down, or the use up;" \
    "a new arrow is a line in Scripts/layers.txt and a reason in its commit." >&2
  failed=$((failed + 1))
done
((failed == 0)) || fail "$failed of ${#jobs[@]} rooms, see above"
echo "${#jobs[@]} rooms compiled with only the rooms below them."
