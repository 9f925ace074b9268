// swift-tools-version: 6.3

// A package of a user, which the gate `publish` builds outside of this repository.

import PackageDescription

let package = Package(
  name: "Client",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(url: "ADDRESS/EventBus", from: "1.0.0"),
    .package(url: "ADDRESS/EventBusLogging", from: "1.0.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
  ],
  targets: [
    .executableTarget(
      name: "Client",
      dependencies: [
        .product(name: "EventBus", package: "EventBus"),
        .product(name: "LaunchLoader", package: "EventBus"),
        .product(name: "Theming", package: "EventBus"),
        .product(name: "LaunchPictures", package: "EventBus"),
        .product(name: "NotificationCenterBridge", package: "EventBus"),
        .product(name: "ObservationBridge", package: "EventBus"),
        .product(name: "EventBusLogging", package: "EventBusLogging"),
        .product(name: "Logging", package: "swift-log"),
      ]
    )
  ]
)
