// swift-tools-version: 6.3

import PackageDescription

let package = Package(
  name: "EventBus",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "EventBus", targets: ["EventBus"]),
    .library(name: "LaunchLoader", targets: ["LaunchLoader"]),
    .library(name: "Theming", targets: ["Theming"]),
    .library(name: "EventBusTesting", targets: ["EventBusTesting"]),
    .library(name: "LaunchPictures", targets: ["LaunchPictures"]),
    .library(name: "NotificationCenterBridge", targets: ["NotificationCenterBridge"]),
    .library(name: "ObservationBridge", targets: ["ObservationBridge"]),
    // For the packages in Integrations only.
    .library(name: "_EventBusLocks", targets: ["_EventBusLocks"]),
  ],
  targets: [
    .target(name: "EventBus"),
    .target(name: "LaunchLoader", dependencies: ["EventBus"]),
    .target(name: "Theming", dependencies: ["EventBus"]),
    .target(
      name: "EventBusTesting",
      dependencies: ["EventBus"],
      path: "Integrations/Testing"
    ),
    .target(
      name: "LaunchPictures",
      dependencies: ["EventBus", "LaunchLoader"],
      path: "Integrations/Pictures"
    ),
    .target(
      name: "NotificationCenterBridge",
      dependencies: ["EventBus"],
      path: "Integrations/Foundation"
    ),
    .target(
      name: "ObservationBridge",
      dependencies: ["EventBus", "Theming"],
      path: "Integrations/Observation"
    ),
    .target(name: "_EventBusLocks", path: "Integrations/Locks"),
    .executableTarget(
      name: "skins",
      dependencies: ["Checklist", "EventBus", "LaunchLoader", "Terminal", "Theming"],
      path: "Examples/Skins",
      exclude: ["Themes"]
    ),
    .executableTarget(
      name: "daemon",
      dependencies: ["EventBus", "LaunchLoader"],
      path: "Examples/Daemon",
      exclude: ["ArgumentParser", "Dockerfile", "daemon.service", "settings.json"]
    ),
    .target(name: "Checklist", path: "Examples/Checklist"),
    .target(name: "Terminal", dependencies: ["EventBus"], path: "Examples/Terminal"),
    .executableTarget(
      name: "PreMainFixture",
      dependencies: [
        "EventBus", "LaunchLoader", "Theming", "PreMainAnalytics", "PreMainCrashReports",
        "PreMainLogging",
      ],
      path: "Tests/Fixtures/PreMain/Program"
    ),
    .target(
      name: "PreMainAnalytics",
      dependencies: ["LaunchLoader"],
      path: "Tests/Fixtures/PreMain/Analytics"
    ),
    .target(
      name: "PreMainCrashReports",
      dependencies: ["LaunchLoader"],
      path: "Tests/Fixtures/PreMain/CrashReports"
    ),
    .target(
      name: "PreMainLogging",
      dependencies: ["LaunchLoader"],
      path: "Tests/Fixtures/PreMain/Logging"
    ),
    .executableTarget(
      name: "PreMainCrowd",
      dependencies: ["LaunchLoader"],
      path: "Tests/Fixtures/PreMain/Crowd"
    ),
    .executableTarget(
      name: "SignalsFixture",
      dependencies: ["EventBus", "LaunchLoader"],
      path: "Tests/Fixtures/Signals"
    ),
    .executableTarget(
      name: "ApplicationFixture",
      dependencies: ["EventBus", "LaunchLoader"],
      path: "Tests/Fixtures/Application"
    ),
    .target(
      name: "TestSupport",
      dependencies: ["EventBus", "EventBusTesting"],
      path: "Tests/TestSupport"
    ),
    .testTarget(
      name: "EventBusTests",
      dependencies: ["EventBus", "EventBusTesting", "TestSupport"]
    ),
    .testTarget(
      name: "LaunchLoaderTests",
      dependencies: ["EventBus", "EventBusTesting", "LaunchLoader", "TestSupport"]
    ),
    .testTarget(
      name: "LaunchPicturesTests",
      dependencies: [
        "EventBus", "EventBusTesting", "LaunchLoader", "LaunchPictures", "TestSupport",
      ]
    ),
    .testTarget(
      name: "NotificationCenterBridgeTests",
      dependencies: ["EventBus", "NotificationCenterBridge", "TestSupport"]
    ),
    .testTarget(
      name: "ObservationBridgeTests",
      dependencies: ["EventBus", "ObservationBridge", "TestSupport", "Theming"]
    ),
    .testTarget(
      name: "ThemingTests",
      dependencies: ["EventBus", "EventBusTesting", "Theming", "TestSupport"]
    ),
  ],
  swiftLanguageModes: [.v6]
)

// The tests of the demo's terminal are for the gate `terminal`: users of the libraries need not build them.
if Context.environment["TERMINAL_TESTS"] != nil {
  package.targets.append(
    .testTarget(name: "SkinsTests", dependencies: ["Checklist", "Terminal", "TestSupport"])
  )
}

// One settings block for every target: what one module promises, all promise, with one exception.
// LaunchLoader has protocols with asynchronous requirements: AppService, LaunchWorker, AppHostDelegate. Where
// NonisolatedNonsendingByDefault applies, a witness inherits `nonisolated(nonsending)` from such a requirement,
// and then a class on the main actor cannot use its own state in it. What must stay on the caller's actor in
// LaunchLoader therefore says `nonisolated(nonsending)`.
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
  if target.name != "LaunchLoader" {
    target.swiftSettings?.append(.enableUpcomingFeature("NonisolatedNonsendingByDefault"))
  }
}

// For the gates `storms` and `tests-tsan`: the files of tests that they leave out.
if let paths = Context.environment["TESTS_LEFT_OUT"]?.split(separator: " ") {
  for target in package.targets where target.type == .test {
    let folder = "Tests/\(target.name)/"
    target.exclude += paths.filter { $0.hasPrefix(folder) }.map {
      String($0.dropFirst(folder.count))
    }
  }
}
