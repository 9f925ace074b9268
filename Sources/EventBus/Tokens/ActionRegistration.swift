/// A registration that runs a closure once: `Token { … }`, a hook of a lifetime, the tracking of a model.
///
/// ```
/// token ──► registration ──► closure      (released when the registration has ended)
/// ```
package final class ActionRegistration: Registration,
  @unchecked Sendable  // Reason: locked.
{
  /// When the closure runs.
  package enum Moment: Sendable {
    /// At the end of the registration, for any reason.
    case anyEnd
    /// At the end of the lifetime that it has joined; a registration that ends before does not run it.
    case endOfLifetime
  }

  private let action: Locked<(@Sendable () -> Void)?>
  private let moment: Moment
  private let fence: (@Sendable () async -> Void)?

  /// Creates a registration.
  ///
  /// - Parameters:
  ///   - moment: When the closure runs.
  ///   - fence: Waits, after the end, for calls that are made elsewhere.
  ///   - action: Called at most once, with no lock held, on the thread that ended the registration or the
  ///     lifetime.
  package init(
    at moment: Moment,
    fence: (@Sendable () async -> Void)? = nil,
    _ action: @escaping @Sendable () -> Void
  ) {
    (self.moment, self.fence) = (moment, fence)
    self.action = Locked(action)
  }

  private func take() -> (@Sendable () -> Void)? { action.withLock { $0.take() } }

  override func didEnd() {
    let action = take()
    if moment == .anyEnd { action?() }
  }

  // A hook waits for the end of the lifetime: until its turn, it can be cancelled.
  override func willEndWithOwner() {
    if moment == .anyEnd { super.willEndWithOwner() }
  }

  override package func endWithOwner() {
    if moment == .anyEnd { return super.endWithOwner() }
    countCall()
    run()
    finish()
  }

  /// Runs the closure in a separate frame, which releases the captures before the call counts as over.
  private func run() {
    // The token ends before the call, as it does for a registration with `once: true`.
    let action = take()
    if end() { action?() }
  }

  override func waitForCalls() async {
    await fence?()
    await waitForCountedCalls()
  }
}

/// Identifies an entry of a table.
package struct EntryID: Sendable {
  /// The number of the entry's group.
  package let group: UInt
  /// The number of the entry.
  package let number: UInt

  /// Creates an identifier.
  package init(group: UInt, number: UInt) { (self.group, self.number) = (group, number) }
}

/// A table of another library, whose entries end with their registrations.
package protocol RegistrationTable: AnyObject, Sendable {
  /// Removes the entry of a registration that has ended; called once, with no lock held.
  func remove(_ id: EntryID)

  /// Waits until no call is running that began before the removal of an entry.
  ///
  /// Returns early when the task is cancelled.
  static func waitForCalls() async
}

/// The registration of an entry in a table of another library.
///
/// It keeps the table, whose entries keep their registrations: the owner of the table ends them all.
package final class EntryRegistration<Table: RegistrationTable>: Registration,
  @unchecked Sendable  // Reason: constants.
{
  private let table: Table
  private let id: EntryID

  /// Creates the registration of an entry.
  package init(_ id: EntryID, of table: Table) {
    (self.id, self.table) = (id, table)
  }

  override func didEnd() { table.remove(id) }

  override func waitForCalls() async { await Table.waitForCalls() }
}
