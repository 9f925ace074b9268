/// A file that could not be written, or a page that could not be served.
public struct InspectorError: Error, CustomStringConvertible {
  /// What was not possible.
  public enum Code: Sendable {
    /// The file at this path could not be written.
    case cannotWrite(path: String)
    /// The page could not be served on this port of the loopback interface; zero is any port.
    case cannotServe(port: Int)
  }

  /// What was not possible.
  public let code: Code
  /// The reason, in the words of the operating system.
  public let reason: String

  /// What was not possible, the reason, and what to do.
  public var description: String {
    switch code {
    case .cannotWrite(let path):
      "The inspector cannot write \(path.isEmpty ? "to an empty path" : path): \(reason). "
        + "Name a file in a folder that exists and that the program may write to."
    case .cannotServe(let port):
      "The inspector cannot serve its page on port \(port): \(reason). "
        + "Use port 0, with which the system chooses a free one."
    }
  }
}
