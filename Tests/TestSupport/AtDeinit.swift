/// Runs a closure when it is freed, on the thread that released it.
public final class AtDeinit: Sendable {
  private let body: @Sendable () -> Void

  /// Creates an object that runs a closure at its end.
  public init(_ body: @escaping @Sendable () -> Void) { self.body = body }

  deinit { body() }

  /// Keeps the object in the closure that says so.
  public func touch() {}
}
