/// The end of a lifetime, to be waited for.
///
/// It does not keep the lifetime.
///
/// ## Thread safety
///
/// May be used from any task; any number may wait.
public struct Ending: Sendable {
  private let members: EndingMembers

  internal init(_ members: EndingMembers) { self.members = members }

  /// Waits until the lifetime has ended; returns at once if it has.
  ///
  /// - Throws: `CancellationError` when the waiting task is cancelled first.
  public func wait() async throws(CancellationError) {
    let latch = Latch()
    let hook = EndHook { latch.open() }
    hook.join(members)
    let hasEnded = await latch.wait()
    hook.end(0)
    if !hasEnded { throw CancellationError() }
  }
}
