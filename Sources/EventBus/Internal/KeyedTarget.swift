/// Keeps registrations that are known by numbers, and tells a token about its own.
///
/// The members mean what those of ``TokenTarget`` mean.
package protocol KeyedRegistrations: AnyObject, Sendable {
  /// Ends a registration; nothing happens if it has ended.
  func end(_ key: UInt)

  /// Ends a registration without its token, which is told.
  func endByItself(_ key: UInt)

  /// Whether a registration is still there.
  func isActive(_ key: UInt) -> Bool

  /// Tells a token when its registration ends by itself.
  ///
  /// - Returns: `false` if that has happened already.
  func watch(_ key: UInt, by token: any Cancellable) -> Bool

  /// Stops or lets through what comes, counted.
  func changePauses(_ key: UInt, by change: Int)

  /// Waits until no call is running.
  func waitUntilFinished(_ key: UInt) async
}

/// The way from a token, or from the lifetime of an owner, to one of many registrations.
package final class KeyedTarget: TokenTarget, EndingMembers.Member,
  @unchecked Sendable  // Reason: constant.
{
  private let registrations: any KeyedRegistrations
  private let key: UInt

  /// Names a registration.
  package init(_ registrations: any KeyedRegistrations, key: UInt) {
    self.registrations = registrations
    self.key = key
  }

  package func lifetimeEnded() { registrations.endByItself(key) }

  override package func end(_ handle: UInt) { registrations.end(key) }

  override package func isActive(_ handle: UInt) -> Bool { registrations.isActive(key) }

  override package func watch(_ handle: UInt, by token: any Cancellable) -> Bool {
    registrations.watch(key, by: token)
  }

  override package func changePauses(_ handle: UInt, by change: Int, unless hasEnded: () -> Bool) {
    registrations.changePauses(key, by: change)
  }

  override package func waitUntilFinished(_ handle: UInt) async {
    await registrations.waitUntilFinished(key)
  }
}
