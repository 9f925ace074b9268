#!/usr/bin/env bash
# registrations before main run in debug, in release and with the static standard library
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

builds=("-c debug" "-c release" "${static_build[*]}")
for build in "${builds[@]}"; do
  read -ra flags <<< "$build"
  build_premain "${flags[@]}"
  programs=$(swift build "${flags[@]}" --show-bin-path)
  status=0
  PRE_MAIN_FIXTURE="the gate" timeout 20 "$programs/PreMainFixture" a b > "$work/premain.txt" || status=$?
  ((status == 0)) || fail "built with $build, the fixture ended with status $status"
  diff -u Tests/Expected/pre-main.txt "$work/premain.txt" \
    || fail "built with $build, the output of the fixture differs from Tests/Expected/pre-main.txt"
  crowd=$(timeout 20 "$programs/PreMainCrowd") || fail "built with $build, PreMainCrowd ended with status $?"
  [[ $crowd == "3000 of 3000 workers,"* ]] || fail "built with $build, PreMainCrowd printed: $crowd"
  echo "swift build $build: the expected output; $crowd"
done

# A program and a library of it that each contain LaunchLoader, and both with the same dynamic library of it.
# The program names two copies once, through the hook of its application if it has one.
build=$(swift build --show-bin-path)
copies=$work/two-copies
mkdir -p "$copies"
# The folders of objects keep those of deleted files.
mapfile -t objects < <(grep -E '/(EventBus|LaunchLoader)\.build/' "$build/PreMainFixture.product/Objects.LinkFileList")
((${#objects[@]} > 0)) || fail "the build has left no objects of LaunchLoader"
compile() {
  swiftc -swift-version 6 -parse-as-library -I "$build/Modules" -L "$copies" -Xlinker "-rpath=\$ORIGIN" \
    -Xlinker --no-as-needed "$@" || fail "Tests/Fixtures/TwoCopies does not build"
}
compile -emit-library "${objects[@]}" -o "$copies/libShared.so"
for kind in two one; do
  library=("${objects[@]}")
  [[ $kind == two ]] || library=(-lShared)
  compile -emit-library -module-name Feature Tests/Fixtures/TwoCopies/Feature.swift "${library[@]}" \
    -o "$copies/libFeature$kind.so"
  compile -module-name App Tests/Fixtures/TwoCopies/App.swift "${library[@]}" "-lFeature$kind" -o "$copies/$kind"
done
message='this process contains LaunchLoader more than once'
alone=$(timeout 20 "$copies/two" 2>&1) || fail "a program with two copies ended with status $?: $alone"
[[ $(grep -c "^LaunchLoader: $message" <<< "$alone") == 1 && $alone != *feature* && $alone == *app* ]] \
  || fail "a program with two copies of LaunchLoader does not say so, once: $alone"
hooked=$(timeout 20 "$copies/two" app 2>&1) || fail "an application with two copies ended with status $?: $hooked"
[[ $(grep -c "$message" <<< "$hooked") == 1 && $hooked == *"message: $message"* ]] \
  || fail "an application with two copies of LaunchLoader does not say so, once, through its hook: $hooked"
one=$(timeout 20 "$copies/one" 2>&1) || fail "a program with one copy ended with status $?: $one"
[[ $one == $'feature\napp' ]] || fail "a program with one copy of LaunchLoader printed: $one"
echo "Two copies of LaunchLoader are noticed."
