/// How a run of services ended.
package struct ServiceOutcome: Sendable {
  /// What went wrong: the cause first, errors that were to be ignored last; empty if nothing did.
  package let errors: [any Error]
  /// Whether the services were cancelled.
  package let isCancelled: Bool
}
