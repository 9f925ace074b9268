// swift-tools-version: 6.3

import PackageDescription

let eventBus = Target.Dependency.product(name: "EventBus", package: "EventBus")
let launchLoader = Target.Dependency.product(name: "LaunchLoader", package: "EventBus")

let package = Package(
  name: "EventBusNATS",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "EventBusNATS", targets: ["EventBusNATS"]),
    .executable(name: "SharedSkins", targets: ["SharedSkins"]),
  ],
  dependencies: [.package(name: "EventBus", path: "../..")],
  targets: [
    .systemLibrary(
      name: "CNATS",
      pkgConfig: "libnats",
      providers: [.apt(["libnats-dev"]), .brew(["cnats"])]
    ),
    .target(name: "EventBusNATS", dependencies: [eventBus, launchLoader, "CNATS"]),
    .executableTarget(
      name: "SharedSkins",
      dependencies: [
        eventBus, launchLoader, .product(name: "Theming", package: "EventBus"), "EventBusNATS",
        "NATSServer",
      ],
      path: "Examples/SharedSkins"
    ),
    .executableTarget(
      name: "Throughput",
      dependencies: [eventBus, "EventBusNATS", "NATSServer", "CNATS"],
      path: "Benchmarks/Throughput"
    ),
    .target(name: "NATSServer", path: "Sources/NATSServer"),
    .executableTarget(
      name: "NATSNode",
      dependencies: [eventBus, "EventBusNATS"],
      path: "Tests/NATSNode"
    ),
    .target(
      name: "SoakRun",
      dependencies: [eventBus, "EventBusNATS", "NATSServer"],
      path: "Tests/SoakRun"
    ),
    .executableTarget(name: "Soak", dependencies: ["SoakRun"], path: "Tests/Soak"),
    .testTarget(
      name: "EventBusNATSTests",
      dependencies: [
        eventBus, launchLoader, "EventBusNATS", "NATSServer", "NATSNode", "SharedSkins", "SoakRun",
      ]
    ),
  ],
  swiftLanguageModes: [.v6]
)

for target in package.targets where target.type != .system {
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
