/// Keeps registrations in groups, and tells a token about its own.
///
/// A registration is known by the number of its group and a number of its own. The members mean what
/// those of ``TokenTarget`` mean.
package protocol GroupedRegistrations: AnyObject, Sendable {
  /// Ends a registration; nothing happens if it has ended.
  func end(_ number: UInt, inGroup group: UInt)

  /// Whether a registration is still there.
  func isActive(_ number: UInt, inGroup group: UInt) -> Bool

  /// Tells a token when its registration ends by itself.
  ///
  /// - Returns: `false` if that has happened already.
  func watch(_ number: UInt, inGroup group: UInt, by token: any Cancellable) -> Bool

  /// Stops or resumes a registration, counted; nothing happens if it has ended.
  func changePauses(_ number: UInt, inGroup group: UInt, by change: Int)

  /// Waits until no call is running.
  func waitUntilFinished(_ number: UInt, inGroup group: UInt) async
}

/// The way from tokens to the registrations of one group, whose numbers are the tokens' handles.
///
/// One object for the whole group: a registration costs a token, and no target of its own. It does not
/// keep the registrations.
package final class GroupTarget: TokenTarget, @unchecked Sendable {  // Reason: constants.
  private weak let registrations: (any GroupedRegistrations)?
  private let group: UInt

  /// Names a group.
  package init(_ registrations: any GroupedRegistrations, group: UInt) {
    self.registrations = registrations
    self.group = group
  }

  override package func end(_ handle: UInt) { registrations?.end(handle, inGroup: group) }

  override package func isActive(_ handle: UInt) -> Bool {
    registrations?.isActive(handle, inGroup: group) ?? false
  }

  override package func watch(_ handle: UInt, by token: any Cancellable) -> Bool {
    registrations?.watch(handle, inGroup: group, by: token) ?? false
  }

  override package func changePauses(_ handle: UInt, by change: Int, unless hasEnded: () -> Bool) {
    registrations?.changePauses(handle, inGroup: group, by: change)
  }

  override package func waitUntilFinished(_ handle: UInt) async {
    await registrations?.waitUntilFinished(handle, inGroup: group)
  }
}
