/// An object that ends and pauses registrations on behalf of their tokens.
///
/// A target serves one token or many; the handle identifies the registration. Every member may be called
/// on any thread and is called under no lock.
@usableFromInline
package class TokenTarget: @unchecked Sendable {  // Reason: stateless.
  /// Creates a target.
  package init() {}

  /// Ends the registration.
  ///
  /// Called once, by a token that is being cancelled or deallocated.
  ///
  /// - Returns: The new handle, for ``waitUntilFinished(_:)``; unused if the token is being deallocated.
  @discardableResult
  package func end(_ handle: UInt) -> UInt { handle }

  /// Returns whether the registration still exists.
  ///
  /// Called only before ``end(_:)``.
  package func isActive(_ handle: UInt) -> Bool { true }

  /// Waits, after the end of the registration, until no call of its handler is running.
  ///
  /// Takes the handle that ``end(_:)`` returned. Returns early when the task is cancelled.
  package func waitUntilFinished(_ handle: UInt) async {}

  /// Changes the number of pauses; deliveries resume when it is back at zero.
  ///
  /// - Parameters:
  ///   - handle: The registration.
  ///   - change: 1 to pause, -1 to end a pause.
  ///   - token: The token; if it was cancelled, nothing happens. `nil` if it has been deallocated and the
  ///     registration continues.
  package func changePauses(_ handle: UInt, by change: Int, of token: Token?) {}

  /// Prevents new calls, ahead of ``end(_:)``.
  ///
  /// - Parameters:
  ///   - handle: The registration.
  ///   - token: The token; if it was cancelled, nothing happens.
  package func stopCalls(_ handle: UInt, of token: Token) {}

  /// Cancels a token when its registration ends by itself.
  ///
  /// - Returns: `false` if the registration has already ended.
  package func watch(_ handle: UInt, by token: Token) -> Bool { isActive(handle) }
}

/// A target that runs a closure when its token ends.
package final class CancelAction: TokenTarget, @unchecked Sendable {  // Reason: locked.
  private let action: Locked<(@Sendable () -> Void)?>
  private let finish: (@Sendable () async -> Void)?

  init(
    _ action: @escaping @Sendable () -> Void,
    finish: (@Sendable () async -> Void)? = nil
  ) {
    self.action = Locked(action)
    self.finish = finish
  }

  override package func end(_ handle: UInt) -> UInt {
    let action = action.withLock { $0.take() }
    action?()
    return handle
  }

  override package func waitUntilFinished(_ handle: UInt) async { await finish?() }
}

/// A table of registrations in groups.
///
/// The number of its group and its own number identify a registration. The members correspond to those of
/// ``TokenTarget``.
package protocol GroupedRegistrations: AnyObject, Sendable {
  /// Ends a registration; does nothing if it has already ended.
  func end(_ number: UInt, inGroup group: UInt)

  /// Returns whether a registration still exists.
  func isActive(_ number: UInt, inGroup group: UInt) -> Bool

  /// Cancels a token when its registration ends by itself.
  ///
  /// - Returns: `false` if the registration has already ended.
  func watch(_ number: UInt, inGroup group: UInt, by token: Token) -> Bool

  /// Changes the number of pauses of a registration; does nothing if it has already ended.
  func changePauses(_ number: UInt, inGroup group: UInt, by change: Int)

  /// Waits until no call of the handler is running.
  func waitUntilFinished(_ number: UInt, inGroup group: UInt) async
}

/// The shared target of a group of registrations, whose numbers are the handles of the tokens.
///
/// One object serves the whole group, so a registration needs a token but no target of its own. The target
/// does not keep the registrations alive.
package final class GroupTarget: TokenTarget, @unchecked Sendable {  // Reason: constants.
  private weak let registrations: (any GroupedRegistrations)?
  private let group: UInt

  /// Creates the target of a group.
  package init(_ registrations: any GroupedRegistrations, group: UInt) {
    self.registrations = registrations
    self.group = group
  }

  override package func end(_ handle: UInt) -> UInt {
    registrations?.end(handle, inGroup: group)
    return handle
  }

  override package func isActive(_ handle: UInt) -> Bool {
    registrations?.isActive(handle, inGroup: group) ?? false
  }

  override package func watch(_ handle: UInt, by token: Token) -> Bool {
    registrations?.watch(handle, inGroup: group, by: token) ?? false
  }

  override package func changePauses(_ handle: UInt, by change: Int, of token: Token?) {
    registrations?.changePauses(handle, inGroup: group, by: change)
  }

  override package func waitUntilFinished(_ handle: UInt) async {
    await registrations?.waitUntilFinished(handle, inGroup: group)
  }
}
