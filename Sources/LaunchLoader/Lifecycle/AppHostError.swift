/// The failure of an application run.
public struct AppHostError: Error {
  /// The errors, at least one: the cause first, then its consequences and later errors, ignored errors last.
  ///
  /// A service that was left behind is an ``AppServiceError`` with the code `stuck`.
  public let errors: [any Error]

  /// The services that threw the errors, `nil` for errors from elsewhere.
  private let services: [String?]

  init(_ failures: [ServiceRunner.Machine.Failure]) {
    errors = failures.map(\.error)
    services = failures.map(\.service)
  }

  /// The names of the services that did not end and were left behind, including those in groups.
  ///
  /// The name of a service in a group is prefixed with the names of its groups: `storage/cache`.
  public var stuckServices: [String] { AppServiceError.stuckServices(in: errors) }
}

extension AppHostError: CustomStringConvertible {
  /// A description with the cause, its consequences, the service that threw each error, and the stuck
  /// services.
  public var description: String {
    let parts = zip(services, errors).map { service, error in
      // A service error already names its service.
      guard let service, !(error is AppServiceError) else { return "\(error)" }
      return "service \"\(service)\" threw \(error)"
    }
    var text = "application failed: " + parts.joined(separator: "; ")
    let stuck = stuckServices
    if !stuck.isEmpty { text += "; stuck: \(stuck.joined(separator: ", "))" }
    return text
  }
}
