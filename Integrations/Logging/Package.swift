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

let package = Package(
  name: "EventBusLogging",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [.library(name: "EventBusLogging", targets: ["EventBusLogging"])],
  dependencies: [
    libraries,
    .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
  ],
  targets: [
    .target(
      name: "EventBusLogging",
      dependencies: [
        .product(name: "EventBus", package: "EventBus"),
        .product(name: "LaunchLoader", package: "EventBus"),
        .product(name: "_EventBusLocks", package: "EventBus"),
        .product(name: "Logging", package: "swift-log"),
      ]
    )
  ],
  swiftLanguageModes: [.v6]
)

for target in package.targets {
  target.swiftSettings = [
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
