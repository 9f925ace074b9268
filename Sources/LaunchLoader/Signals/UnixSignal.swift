/// A signal of the operating system.
///
/// The members stand for the signals that programs commonly listen to; every other one is made from its
/// number.
///
/// ```swift
/// let reloads = UnixSignal.stream(.hangup)
/// for await _ in reloads {
///   reloadConfiguration()
/// }
/// ```
///
/// ## Thread safety
///
/// A plain value. ``stream(_:)`` and ``inject(_:)`` may be called from any thread, except in the handler
/// of a signal.
public struct UnixSignal: RawRepresentable, Hashable, Sendable {
  /// The number of the signal.
  public let rawValue: Int32

  /// Makes a signal from its number, whether or not the system has such a one.
  ///
  /// - Parameter rawValue: The number.
  public init(rawValue: Int32) { self.rawValue = rawValue }
}
