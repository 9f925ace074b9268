// swift-tools-version: 6.3

import PackageDescription

// A minimal package of a user: the gates examine code that is compiled outside the package.
let package = Package(
  name: "Probe",
  platforms: [.macOS(.v15)],
  dependencies: [
    // Named, so that the checkout directory may be called anything.
    .package(name: "EventBus", path: "../../..")
  ],
  targets: [
    .executableTarget(
      name: "Probe",
      dependencies: [
        "HotPaths",
        .product(name: "EventBus", package: "EventBus"),
        .product(name: "LaunchLoader", package: "EventBus"),
        .product(name: "Theming", package: "EventBus"),
      ]
    ),
    .target(
      name: "HotPaths",
      dependencies: [
        .product(name: "EventBus", package: "EventBus"),
        .product(name: "Theming", package: "EventBus"),
      ]
    ),
  ],
  swiftLanguageModes: [.v6]
)
