#!/usr/bin/env bash
# Builds and runs the programs that register before main in debug, in release, and in release with the
# static standard library, and compares what they say.
set -euo pipefail
cd "$(dirname "$0")/../../.."

builds=("-c debug" "-c release" "-c release --static-swift-stdlib")
expected=""
for build in "${builds[@]}"; do
  read -ra flags <<< "$build"
  scratch=.build
  [[ $build != *static* ]] || scratch=.build/static
  for product in PreMainFixture PreMainCrowd; do
    swift build "${flags[@]}" --scratch-path "$scratch" --product "$product" > /dev/null
  done
  programs=$(swift build "${flags[@]}" --scratch-path "$scratch" --show-bin-path)
  said=$(PRE_MAIN_FIXTURE="the script" timeout 20 "$programs/PreMainFixture" a b)
  [[ -n $expected ]] || expected=$said
  [[ $said == "$expected" ]] || { printf 'swift build %s says otherwise:\n%s\n' "$build" "$said"; exit 1; }
  echo "swift build $build: the same; $(timeout 20 "$programs/PreMainCrowd")"
done
