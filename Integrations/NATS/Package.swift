// swift-tools-version: 6.3

import Foundation
import PackageDescription

// The libraries: those of the repository around this package, elsewhere a release.
let isInRepository = FileManager.default.fileExists(
  atPath: Context.packageDirectory + "/../../Sources/EventBus"
)
let libraries: Package.Dependency =
  isInRepository
  ? .package(name: "EventBus", path: "../..")
  : .package(url: "https://github.com/YOUR-ORGANIZATION/EventBus", from: "1.0.0")

let eventBus = Target.Dependency.product(name: "EventBus", package: "EventBus")
let locks = Target.Dependency.product(name: "_EventBusLocks", package: "EventBus")
let launchLoader = Target.Dependency.product(name: "LaunchLoader", package: "EventBus")

let package = Package(
  name: "EventBusNATS",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "EventBusNATS", targets: ["EventBusNATS"]),
    .executable(name: "SharedSkins", targets: ["SharedSkins"]),
  ],
  dependencies: [libraries],
  targets: [
    .systemLibrary(
      name: "CNATS",
      pkgConfig: "libnats",
      providers: [.apt(["libnats-dev"]), .brew(["cnats"])]
    ),
    .target(name: "EventBusNATS", dependencies: [eventBus, launchLoader, locks, "CNATS"]),
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
    .target(name: "NATSServer", dependencies: [locks], path: "Sources/NATSServer"),
    .executableTarget(
      name: "NATSNode",
      dependencies: [eventBus, "EventBusNATS"],
      path: "Tests/NATSNode"
    ),
    .target(
      name: "SoakRun",
      dependencies: [eventBus, locks, "EventBusNATS", "NATSServer"],
      path: "Tests/SoakRun"
    ),
    .executableTarget(name: "Soak", dependencies: ["SoakRun"], path: "Tests/Soak"),
    .testTarget(
      name: "EventBusNATSTests",
      dependencies: [
        eventBus, launchLoader, locks, "EventBusNATS", "NATSServer", "NATSNode", "SharedSkins",
        "SoakRun",
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
