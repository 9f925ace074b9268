// swift-tools-version: 6.3

import PackageDescription

let log = Target.Dependency.product(name: "Logging", package: "swift-log")
let eventBus = Target.Dependency.product(name: "EventBus", package: "EventBus")
let testing = Target.Dependency.product(name: "EventBusTesting", package: "EventBus")
let launchLoader = Target.Dependency.product(name: "LaunchLoader", package: "EventBus")
let locks = Target.Dependency.product(name: "_EventBusLocks", package: "EventBus")
let logging = Target.Dependency.product(name: "EventBusLogging", package: "EventBusLogging")
let metrics = Target.Dependency.product(name: "EventBusMetrics", package: "EventBusMetrics")
let tracing = Target.Dependency.product(name: "EventBusTracing", package: "EventBusTracing")
let bridge = Target.Dependency.product(
  name: "ServiceLifecycleBridge",
  package: "ServiceLifecycleBridge"
)
let coreMetrics = Target.Dependency.product(name: "CoreMetrics", package: "swift-metrics")
let tracer = Target.Dependency.product(name: "Tracing", package: "swift-distributed-tracing")
let lifecycle = Target.Dependency.product(
  name: "ServiceLifecycle",
  package: "swift-service-lifecycle"
)
let http: [Target.Dependency] = [
  .product(name: "NIOCore", package: "swift-nio"),
  .product(name: "NIOHTTP1", package: "swift-nio"),
  .product(name: "NIOPosix", package: "swift-nio"),
]

let package = Package(
  name: "EventBusServer",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [.executable(name: "EventServer", targets: ["EventServer"])],
  dependencies: [
    .package(name: "EventBus", path: "../.."),
    .package(name: "EventBusInspector", path: "../Inspector"),
    .package(name: "EventBusLogging", path: "../Logging"),
    .package(name: "EventBusMetrics", path: "../Metrics"),
    .package(name: "EventBusTracing", path: "../Tracing"),
    .package(name: "ServiceLifecycleBridge", path: "../ServiceLifecycle"),
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
    .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
    .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.0"),
  ],
  targets: [
    .executableTarget(
      name: "EventServer",
      dependencies: [
        eventBus, launchLoader, log, coreMetrics, logging, metrics, bridge,
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
      name: "RequestEvents",
      dependencies: [
        eventBus, launchLoader, log, bridge, lifecycle,
        .product(name: "Hummingbird", package: "hummingbird"),
      ],
      path: "Examples/RequestEvents",
      exclude: ["README.md"]
    ),
    .executableTarget(
      name: "Costs",
      dependencies: [
        eventBus, log, coreMetrics, tracer, logging, metrics, tracing,
      ],
      path: "Benchmarks/Costs"
    ),
    .target(
      name: "EveryImport",
      dependencies: [
        eventBus, launchLoader, log, coreMetrics, tracer, lifecycle, logging, metrics, tracing,
        bridge,
        .product(name: "Theming", package: "EventBus"),
        .product(name: "NotificationCenterBridge", package: "EventBus"),
        .product(name: "ObservationBridge", package: "EventBus"),
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "HTTPTypes", package: "swift-http-types"),
      ],
      path: "Tests/EveryImport"
    ),
    .target(name: "TestKit", dependencies: [eventBus, locks], path: "Tests/TestKit"),
    .testTarget(
      name: "EventBusLoggingTests",
      dependencies: [
        "TestKit", eventBus, testing, launchLoader, log, logging,
        .product(name: "InMemoryLogging", package: "swift-log"),
      ]
    ),
    .testTarget(
      name: "EventBusMetricsTests",
      dependencies: [
        "TestKit", eventBus, testing, launchLoader, coreMetrics, metrics,
        .product(name: "MetricsTestKit", package: "swift-metrics"),
      ]
    ),
    .testTarget(
      name: "EventBusTracingTests",
      dependencies: [
        "TestKit", eventBus, tracer, tracing,
        .product(name: "Instrumentation", package: "swift-distributed-tracing"),
        .product(name: "InMemoryTracing", package: "swift-distributed-tracing"),
      ]
    ),
    .testTarget(
      name: "ServiceLifecycleBridgeTests",
      dependencies: [
        "TestKit", eventBus, launchLoader, lifecycle, log, bridge,
        .product(name: "UnixSignals", package: "swift-service-lifecycle"),
      ]
    ),
    .testTarget(
      name: "EventServerTests",
      dependencies: [
        "EventServer", "RequestEvents", "TestKit", eventBus, locks, log, coreMetrics,
        .product(name: "HTTPTypes", package: "swift-http-types"),
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "HummingbirdCore", package: "hummingbird"),
        .product(name: "NIOEmbedded", package: "swift-nio"),
        .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
        .product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras"),
      ] + http
    ),
  ],
  swiftLanguageModes: [.v6]
)

// Without the server and its dependencies, for ThreadSanitizer: `LIBRARIES_ONLY=1 swift test --sanitize thread`.
if Context.environment["LIBRARIES_ONLY"] != nil {
  let servers = [
    "hummingbird", "swift-http-types", "swift-nio", "swift-nio-extras",
  ]
  package.dependencies.removeAll { dependency in
    switch dependency.kind {
    case .sourceControl(_, let location, _): servers.contains { location.hasSuffix("/\($0)") }
    case .fileSystem(let name, _): name == "EventBusInspector"
    default: false
    }
  }
  let programs = ["EventServer", "RequestEvents", "EventServerTests", "Costs", "EveryImport"]
  package.targets.removeAll { programs.contains($0.name) }
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
  // A middleware of Hummingbird leaves the caller's actor.
  if target.name != "RequestEvents" {
    target.swiftSettings?.append(.enableUpcomingFeature("NonisolatedNonsendingByDefault"))
  }
}
