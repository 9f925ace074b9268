/// How a run of services ended.
package struct ServiceOutcome: Sendable {
  /// One thing that went wrong.
  package struct Failure: Sendable {
    /// The service that threw the error, if one did.
    package let service: String?
    /// The error.
    package let error: any Error
  }

  /// What went wrong: the cause first, errors that were to be ignored last; empty if nothing did.
  package let failures: [Failure]
  /// Whether the services were cancelled.
  package let isCancelled: Bool

  /// The errors of ``failures``.
  package var errors: [any Error] { failures.map(\.error) }
}
