#!/usr/bin/env bash
# registrations before main run in debug, in release and with the static standard library
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

builds=("-c debug" "-c release" "-c release --static-swift-stdlib")
for build in "${builds[@]}"; do
  read -ra flags <<< "$build"
  scratch=.build
  [[ $build != *static* ]] || scratch=.build/static
  for product in PreMainFixture PreMainCrowd; do
    swift build "${flags[@]}" --scratch-path "$scratch" --product "$product" > "$work/premain.log" 2>&1 \
      || fail "swift build $build --product $product: $(tail -n 20 "$work/premain.log")"
  done
  programs=$(swift build "${flags[@]}" --scratch-path "$scratch" --show-bin-path)
  status=0
  PRE_MAIN_FIXTURE="the gate" timeout 20 "$programs/PreMainFixture" a b > "$work/premain.txt" || status=$?
  ((status == 0)) || fail "built with $build, the fixture ended with status $status"
  diff -u Tests/Expected/pre-main.txt "$work/premain.txt" \
    || fail "built with $build, the fixture says something else than Tests/Expected/pre-main.txt"
  crowd=$(timeout 20 "$programs/PreMainCrowd") || fail "built with $build, the crowd ended with status $?"
  [[ $crowd == "3000 of 3000 workers,"* ]] || fail "built with $build, the crowd said: $crowd"
  echo "swift build $build: the same; $crowd"
done
