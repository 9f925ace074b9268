// swift-tools-version: 6.3

import PackageDescription

let log = Target.Dependency.product(name: "Logging", package: "swift-log")
let eventBus = Target.Dependency.product(name: "EventBus", package: "EventBus")
let launchLoader = Target.Dependency.product(name: "LaunchLoader", package: "EventBus")
let coreMetrics = Target.Dependency.product(name: "CoreMetrics", package: "swift-metrics")
let tracing = Target.Dependency.product(name: "Tracing", package: "swift-distributed-tracing")
let lifecycle = Target.Dependency.product(
  name: "ServiceLifecycle",
  package: "swift-service-lifecycle"
)
let http: [Target.Dependency] = [
  .product(name: "AsyncHTTPClient", package: "async-http-client"),
  .product(name: "NIOCore", package: "swift-nio"),
  .product(name: "NIOHTTP1", package: "swift-nio"),
  .product(name: "NIOPosix", package: "swift-nio"),
]

let package = Package(
  name: "EventBusServer",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "EventBusLogging", targets: ["EventBusLogging"]),
    .library(name: "EventBusMetrics", targets: ["EventBusMetrics"]),
    .library(name: "EventBusTracing", targets: ["EventBusTracing"]),
    .library(name: "ServiceLifecycleBridge", targets: ["ServiceLifecycleBridge"]),
    .library(name: "NotificationCenterBridge", targets: ["NotificationCenterBridge"]),
    .executable(name: "EventServer", targets: ["EventServer"]),
  ],
  dependencies: [
    .package(name: "EventBus", path: "../.."),
    .package(name: "EventBusInspector", path: "../Inspector"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
    .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.2"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    // Without the trait for configuration files, which nothing here reads.
    .package(
      url: "https://github.com/hummingbird-project/hummingbird",
      from: "2.28.0",
      traits: ["FullFoundation"]
    ),
    .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
    .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
    .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.0"),
  ],
  targets: [
    .target(name: "Locks"),
    .target(name: "EventBusLogging", dependencies: ["Locks", eventBus, launchLoader, log]),
    .target(
      name: "EventBusMetrics",
      dependencies: ["Locks", eventBus, launchLoader, coreMetrics]
    ),
    .target(
      name: "EventBusTracing",
      dependencies: ["Locks", eventBus, tracing]
    ),
    .target(
      name: "ServiceLifecycleBridge",
      dependencies: ["Locks", eventBus, launchLoader, lifecycle, log]
    ),
    .target(name: "NotificationCenterBridge", dependencies: ["Locks", eventBus]),
    .executableTarget(
      name: "EventServer",
      dependencies: [
        eventBus, launchLoader, log, coreMetrics, "EventBusLogging", "EventBusMetrics",
        "ServiceLifecycleBridge",
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "Inspector", package: "EventBusInspector"),
        .product(name: "Metrics", package: "swift-metrics"),
        .product(name: "HTTPTypes", package: "swift-http-types"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
        lifecycle,
      ],
      path: "Examples/EventServer"
    ),
    .executableTarget(
      name: "Costs",
      dependencies: [
        eventBus, log, coreMetrics, tracing, "EventBusLogging", "EventBusMetrics",
        "EventBusTracing",
      ],
      path: "Benchmarks/Costs"
    ),
    .target(name: "TestKit", dependencies: ["Locks", eventBus], path: "Tests/TestKit"),
    .testTarget(
      name: "EventBusLoggingTests",
      dependencies: [
        "EventBusLogging", "TestKit", eventBus, launchLoader, log,
        .product(name: "InMemoryLogging", package: "swift-log"),
      ]
    ),
    .testTarget(
      name: "EventBusMetricsTests",
      dependencies: [
        "EventBusMetrics", "TestKit", eventBus, launchLoader, coreMetrics,
        .product(name: "MetricsTestKit", package: "swift-metrics"),
      ]
    ),
    .testTarget(
      name: "EventBusTracingTests",
      dependencies: [
        "EventBusTracing", "TestKit", eventBus, tracing,
        .product(name: "Instrumentation", package: "swift-distributed-tracing"),
        .product(name: "InMemoryTracing", package: "swift-distributed-tracing"),
      ]
    ),
    .testTarget(
      name: "ServiceLifecycleBridgeTests",
      dependencies: [
        "ServiceLifecycleBridge", "TestKit", eventBus, launchLoader, lifecycle, log,
      ]
    ),
    .testTarget(
      name: "NotificationCenterBridgeTests",
      dependencies: ["NotificationCenterBridge", "TestKit", eventBus]
    ),
    .testTarget(
      name: "EventServerTests",
      dependencies: ["EventServer", "TestKit", eventBus] + http
    ),
  ],
  swiftLanguageModes: [.v6]
)

// Without the server and its dependencies, for ThreadSanitizer: `LIBRARIES_ONLY=1 swift test --sanitize thread`.
if Context.environment["LIBRARIES_ONLY"] != nil {
  let servers = [
    "hummingbird", "async-http-client", "swift-http-types", "swift-nio", "swift-nio-extras",
  ]
  package.dependencies.removeAll { dependency in
    switch dependency.kind {
    case .sourceControl(_, let location, _): servers.contains { location.hasSuffix("/\($0)") }
    case .fileSystem(let name, _): name == "EventBusInspector"
    default: false
    }
  }
  package.targets.removeAll { ["EventServer", "EventServerTests", "Costs"].contains($0.name) }
  package.products.removeAll { $0.name == "EventServer" }
}

for target in package.targets {
  target.swiftSettings =
    (target.swiftSettings ?? []) + [
      .enableUpcomingFeature("ExistentialAny"),
      .enableUpcomingFeature("ImmutableWeakCaptures"),
      .enableUpcomingFeature("InferIsolatedConformances"),
      .enableUpcomingFeature("InternalImportsByDefault"),
      .enableUpcomingFeature("MemberImportVisibility"),
      .strictMemorySafety(),
      .treatAllWarnings(as: .error),
      .treatWarning("ExplicitSendable", as: .error),
    ]
  // The iterator of async-http-client leaves the caller's actor, and is not `Sendable`.
  if target.name != "EventServerTests" {
    target.swiftSettings?.append(.enableUpcomingFeature("NonisolatedNonsendingByDefault"))
  }
}
