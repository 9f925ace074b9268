/// What went wrong while an application ran.
public struct ApplicationError: Error {
  /// The errors, at least one: the cause first, then what followed from it or came later; errors that
  /// were to be ignored last.
  ///
  /// A service that was left behind is a ``ServiceError`` with the code `stuck`.
  public let errors: [any Error]

  /// The services that threw the errors, as far as services did.
  private let services: [String?]

  /// Creates an error from the failures of a run.
  init(_ failures: [ServiceOutcome.Failure]) {
    errors = failures.map(\.error)
    services = failures.map(\.service)
  }

  /// The names of the services that did not end and were left behind, those in groups too.
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
  /// The cause, what followed, each with the service that threw it, and the services that are stuck.
  public var description: String {
    let parts = zip(services, errors).map { service, error in
      // A service error names its service itself.
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
  /// The name of the service, led by those of the groups around it, each with a slash.
  public let service: String
  /// What it threw.
  public let error: any Error
}
