/// What a token stands for: the side of a registration that knows how to end it.
///
/// A target serves one token or many; the handle tells it which. Every member may be called on any
/// thread, under no lock.
@usableFromInline
package class TokenTarget: @unchecked Sendable {  // Reason: stateless.
  /// Creates a target.
  package init() {}

  /// Ends the registration.
  ///
  /// Called once, by the token that was cancelled.
  package func end(_ handle: UInt) {}

  /// Ends the registration of a token that was cancelled.
  ///
  /// - Returns: The handle from now on, for ``waitUntilFinished(_:)``.
  package func conclude(_ handle: UInt) -> UInt {
    end(handle)
    return handle
  }

  /// Whether the registration is still there.
  ///
  /// Asked only before ``end(_:)``.
  package func isActive(_ handle: UInt) -> Bool { true }

  /// Waits until no call is running, after the registration has ended.
  ///
  /// The handle is what ``conclude(_:)`` returned. Returns early when the task is cancelled.
  package func waitUntilFinished(_ handle: UInt) async {}

  /// Stops or lets through what comes, counted: as many resumes as pauses let it through again.
  ///
  /// - Parameters:
  ///   - handle: The registration.
  ///   - change: One more pause, or one less.
  ///   - hasEnded: Whether the token was cancelled, in which case nothing is done.
  package func changePauses(_ handle: UInt, by change: Int, unless hasEnded: () -> Bool) {}

  /// Sees to it that no call begins any more, ahead of ``end(_:)``.
  ///
  /// - Parameters:
  ///   - handle: The registration.
  ///   - hasEnded: Whether the token was cancelled, in which case nothing is done.
  package func stopCalls(_ handle: UInt, unless hasEnded: () -> Bool) {}

  /// Tells a token when the registration ends by itself.
  ///
  /// - Returns: `false` if that has happened already.
  package func watch(_ handle: UInt, by token: any Cancellable) -> Bool { isActive(handle) }
}
