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
let theming = Target.Dependency.product(name: "Theming", package: "EventBus")

let package = Package(
  name: "EventBusInspector",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "Inspector", targets: ["Inspector"]),
    .executable(name: "InspectedMail", targets: ["InspectedMail"]),
  ],
  dependencies: [
    libraries,
    .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
    .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    // Without the trait for configuration files, which nothing here reads.
    .package(
      url: "https://github.com/hummingbird-project/hummingbird",
      from: "2.28.0",
      traits: ["FullFoundation"]
    ),
  ],
  targets: [
    .target(
      name: "Inspector",
      dependencies: [
        eventBus, launchLoader, locks, theming,
        .product(name: "HTTPTypes", package: "swift-http-types"),
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
      ],
      resources: [
        .embedInCode("Page/Resources")
      ]
    ),
    .executableTarget(
      name: "InspectedMail",
      dependencies: ["Inspector", eventBus, launchLoader, theming],
      path: "Examples/InspectedMail"
    ),
    .executableTarget(
      name: "Overhead",
      dependencies: ["Inspector", eventBus],
      path: "Benchmarks/Overhead"
    ),
    .testTarget(
      name: "InspectorTests",
      dependencies: [
        "Inspector", eventBus, launchLoader, theming,
        .product(name: "EventBusTesting", package: "EventBus"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOEmbedded", package: "swift-nio"),
      ]
    ),
  ],
  swiftLanguageModes: [.v6]
)

if isInRepository {
  package.targets += [
    // The demo of the repository: its own sources, through links, and a file that adds the inspector. Names of
    // targets are unique among all packages, hence the aliases.
    .executableTarget(
      name: "InspectedSkins",
      dependencies: [
        "DemoChecklist", "DemoTerminal", "Inspector", eventBus, launchLoader, theming,
      ],
      path: "Examples/InspectedSkins",
      exclude: ["Skins/Themes"],
      swiftSettings: [
        .define("INSPECTOR"),
        .unsafeFlags([
          "-module-alias", "Checklist=DemoChecklist", "-module-alias", "Terminal=DemoTerminal",
        ]),
      ]
    ),
    .target(name: "DemoChecklist", path: "Examples/DemoChecklist"),
    .target(name: "DemoTerminal", dependencies: [eventBus], path: "Examples/DemoTerminal"),
  ]
}

for target in package.targets {
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
