import Harness

extension Subject {
  /// The project's own column.
  static let launchLoader = Subject("LaunchLoader")
  /// The established package for services.
  static let serviceLifecycle = Subject("swift-service-lifecycle")
}
