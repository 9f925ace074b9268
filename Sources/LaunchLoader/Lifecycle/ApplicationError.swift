/// The failure of an application run.
public struct ApplicationError: Error {
  /// The errors, at least one: the cause first, then its consequences and later errors, ignored errors last.
  ///
  /// A service that was left behind is a ``ServiceError`` with the code `stuck`.
  public let errors: [any Error]

  /// The services that threw the errors, `nil` for errors from elsewhere.
  private let services: [String?]

  init(_ failures: [ServiceRunner.Machine.Failure]) {
    errors = failures.map(\.error)
    services = failures.map(\.service)
  }

  /// The names of the services that did not end and were left behind, including those in groups.
  public var stuckServices: [String] { Self.stuckServices(in: errors) }

  private static func stuckServices(in errors: [any Error]) -> [String] {
    errors.flatMap { error -> [String] in
      switch (error as? ServiceError)?.code {
      case .stuck(let name): [name]
      case .failed(_, let errors): stuckServices(in: errors)
      default: []
      }
    }
  }
}

extension ApplicationError: CustomStringConvertible {
  /// A description with the cause, its consequences, the service that threw each error, and the stuck
  /// services.
  public var description: String {
    let parts = zip(services, errors).map { service, error in
      // A service error already names its service.
      guard let service, !(error is ServiceError) else { return "\(error)" }
      return "service \"\(service)\" threw \(error)"
    }
    var text = "application failed: " + parts.joined(separator: "; ")
    let stuck = stuckServices
    if !stuck.isEmpty { text += "; stuck: \(stuck.joined(separator: ", "))" }
    return text
  }
}

/// An error that a service threw.
public struct ServiceFailure: Sendable {
  /// The name of the service, prefixed with the names of its groups, each followed by a slash.
  public let service: String
  /// The error.
  public let error: any Error
}
