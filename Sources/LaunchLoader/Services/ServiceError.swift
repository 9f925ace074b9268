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
    /// A service returned whose return cancels the others.
    case returned(String)
    /// A service did not end although it was cancelled, and was left behind.
    case stuck(String)
    /// What was run has been run before.
    case alreadyRan
    /// The services of a group failed: the cause first.
    case failed(group: String, errors: [any Error])
  }

  /// What went wrong.
  public let code: Code

  internal init(_ code: Code) {
    self.code = code
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
    case .returned(let name):
      "service \"\(name)\" returned although nothing had told it to stop"
    case .stuck(let name):
      "service \"\(name)\" is stuck: it did not end when it was cancelled, and was left behind"
    case .alreadyRan:
      "services run once: make new ones to run again"
    case .failed(let group, let errors):
      "service group \"\(group)\" failed: " + errors.map { "\($0)" }.joined(separator: "; ")
    }
  }
}
