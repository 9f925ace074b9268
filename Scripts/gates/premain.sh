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
