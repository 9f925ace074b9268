/// A closure that runs exactly once when a lifetime ends, unless it is removed first.
package final class EndHook: Registration,
  @unchecked Sendable  // Reason: locked.
{
  private let body: Locked<(@Sendable () -> Void)?>

  /// Creates a hook, to be joined to a lifetime.
  package init(_ body: @escaping @Sendable () -> Void) {
    self.body = Locked(body)
  }

  // The end of the lifetime is what the hook waits for: until its turn comes, it can be cancelled.

  override package func isActive(_ handle: UInt) -> Bool { !hasEnded }

  override package func stopCalls() {}

  override package func didEnd() {
    let body = body.withLock { $0.take() }
    withExtendedLifetime(body) {}
  }

  override package func lifetimeEnded() {
    countCall()
    run()
    finish()
  }

  /// Runs the closure in a frame of its own, which releases the captures before the call counts as over.
  private func run() {
    guard markEnded(), let body = body.withLock({ $0.take() }) else { return }
    // The token ends before the call, as it does for a registration with `once: true`.
    leaveLifetime()?.object?.cancel()
    body()
  }
}
