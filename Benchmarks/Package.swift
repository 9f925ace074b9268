// swift-tools-version: 6.3

import PackageDescription

let package = Package(
  name: "Benchmarks",
  platforms: [.macOS("26.0")],
  dependencies: [
    // Named, so that the checkout directory may be called anything.
    .package(name: "EventBus", path: ".."),
    .package(url: "https://github.com/OpenCombine/OpenCombine", exact: "0.14.0"),
    .package(url: "https://github.com/apple/swift-async-algorithms", exact: "1.1.4"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", exact: "2.13.0"),
  ],
  targets: [
    .executableTarget(
      name: "EventBusBenchmarks",
      dependencies: [
        "Harness",
        .product(name: "EventBus", package: "EventBus"),
        .product(name: "LaunchLoader", package: "EventBus"),
        .product(name: "OpenCombine", package: "OpenCombine"),
        .product(name: "AsyncAlgorithms", package: "swift-async-algorithms"),
        .product(name: "UnixSignals", package: "swift-service-lifecycle"),
      ]
    ),
    .executableTarget(
      name: "LaunchLoaderBenchmarks",
      dependencies: [
        "Harness",
        .product(name: "EventBus", package: "EventBus"),
        .product(name: "LaunchLoader", package: "EventBus"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
      ]
    ),
    .executableTarget(
      name: "ThemingBenchmarks",
      dependencies: [
        "Harness",
        .product(name: "EventBus", package: "EventBus"),
        .product(name: "Theming", package: "EventBus"),
        .product(name: "OpenCombine", package: "OpenCombine"),
      ]
    ),
    .target(name: "Harness", dependencies: ["HeapCounter", "InstructionCounter"]),
    .target(name: "HeapCounter"),
    .target(name: "InstructionCounter"),
  ],
  swiftLanguageModes: [.v6]
)

// The settings of the libraries, so that the code measured is the code a user of them would write.
for target in package.targets where !target.name.hasSuffix("Counter") {
  target.swiftSettings =
    (target.swiftSettings ?? []) + [
      .enableUpcomingFeature("ExistentialAny"),
      .enableUpcomingFeature("ImmutableWeakCaptures"),
      .enableUpcomingFeature("InferIsolatedConformances"),
      .enableUpcomingFeature("InternalImportsByDefault"),
      .enableUpcomingFeature("MemberImportVisibility"),
      .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
      .strictMemorySafety(),
      .treatAllWarnings(as: .error),
      .treatWarning("ExplicitSendable", as: .error),
    ]
}
