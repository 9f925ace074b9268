/// Why a service was refused, or why services ended otherwise than they should.
///
/// Errors that a service throws are no service errors: they are kept as they are.
public struct ServiceError: Error {
  /// What can go wrong.
  ///
  /// More cases may come: keep a `default` in a `switch`.
  public enum Code: Sendable {
    /// There is a service of this name already.
    case duplicate(String)
    /// A service comes after one that is not there.
    case unknown(String, neededBy: String)
    /// Services come after each other in a circle; the first is named again at the end.
    case cycle([String])
    /// It is too late to add this service: the others are being stopped, or were.
    case stopping(String)
    /// A service that others wait for ended before it was ready.
    case endedBeforeReady(String)
    /// A service took longer to start than its options allow.
    case notStarted(String)
    /// A service returned before shutdown was requested, and its options do not expect that.
    case returned(String)
    /// A service did not end although it was cancelled, and was left behind; or launch work, which is named
    /// `launch work "x"`.
    case stuck(String)
    /// What was run has been run before.
    case alreadyRan
    /// The services of a group failed: the cause first.
    case failed(group: String, errors: [any Error])
  }

  /// What went wrong.
  public let code: Code

  /// Whether what is stuck is launch work, named as such, and no service.
  private let isLaunchWork: Bool

  init(_ code: Code, isLaunchWork: Bool = false) {
    self.code = code
    self.isLaunchWork = isLaunchWork
  }
}

extension ServiceError: CustomStringConvertible {
  /// What went wrong, and what to do about it.
  public var description: String {
    switch code {
    case .duplicate(let name):
      "there is a service \"\(name)\" already: give each its own name"
    case .unknown(let name, let dependant):
      "service \"\(dependant)\" comes after \"\(name)\", which is not there:"
        + " add that one, or take it out of after:"
    case .cycle(let path):
      "services come after each other in a circle: \(path.joined(separator: " → "));"
        + " take one of these names out of after:"
    case .stopping(let name):
      "service \"\(name)\" was added while services are stopped: it was not started"
    case .endedBeforeReady(let name):
      "service \"\(name)\" ended before it was ready: call ready() on its context first"
    case .notStarted(let name):
      "service \"\(name)\" did not start in time: give it a longer startTimeout, or call ready() earlier"
    case .returned(let name):
      "service \"\(name)\" returned before shutdown was requested:"
        + " set onReturn to .shutdown or .ignore if it may"
    case .stuck(let name):
      "\(isLaunchWork ? name : "service \"\(name)\"") is stuck: it did not end when it was cancelled, and was left behind"
    case .alreadyRan:
      "services run once: make new ones to run again"
    case .failed(let group, let errors):
      "service group \"\(group)\" failed: " + errors.map { "\($0)" }.joined(separator: "; ")
    }
  }
}

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
