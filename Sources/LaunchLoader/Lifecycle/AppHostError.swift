internal import EventBus

/// The error that ``AppHost/run()`` throws, with the cause and its consequences.
public struct AppHostError: Error {
  /// The errors, at least one: the cause first, then its consequences and later errors, ignored errors last.
  ///
  /// A service that was abandoned is an ``AppServiceError`` with the code `abandoned`.
  public let errors: [any Error]

  /// The exit code that ``AppHost/shutdown(exitCode:because:)`` was called with, or 128 plus the number of the signal that
  /// cancelled everything.
  ///
  /// `nil` if there is none, or if it is 0, which would report the failure as a success.
  public let exitCode: Int32?

  /// The services that threw the errors, `nil` for errors from elsewhere.
  private let services: [String?]

  init(_ failures: [ServiceMachine.Failure], exitCode: Int32? = nil) {
    self.exitCode = exitCode
    errors = failures.map(\.error)
    services = failures.map(\.service)
  }

  /// The names of the services that did not end and were abandoned, including those in groups.
  ///
  /// The name of a service in a group is prefixed with the names of its groups: `storage/cache`.
  public var abandonedServices: [String] { AppServiceError.abandonedServices(in: errors) }
}

extension AppHostError: CustomStringConvertible {
  /// A description with the cause, its consequences, and the service that threw each error.
  public var description: String {
    let parts = zip(services, errors).map { service, error in
      // A service error already names its service.
      guard let service, !(error is AppServiceError) else { return "\(error)" }
      return "Service \"\(service)\" threw \(error)"
    }
    return "AppHost failed: " + parts.map(\.asSentence).joined(separator: " ")
  }
}
