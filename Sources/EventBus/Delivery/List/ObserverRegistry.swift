internal import Synchronization

/// The registrations of one list: the value behind its lock.
///
/// Files each observer by sender and priority, and keeps the view for readers in step. Unlinked items are
/// returned to the caller, which retires them after unlocking.
struct ObserverRegistry: Sendable {
  private var lanes = ObserverLanes()
  private var senders = SenderTable()
  /// The number of observers that are restricted to a sender.
  private(set) var addressedCount = 0
  /// The number of observers that depend on the origin of an event.
  private(set) var boundCount = 0
  /// The observers whose owner or sender may die without notice.
  private(set) var watched = WatchedObservers()
  /// The registrations to check on an actor, keyed by the mailbox that was asked for a turn.
  private var suspects: [ObjectIdentifier: ObserverLink] = [:]
  /// The number of observers.
  private(set) var count = 0
  /// A Boolean value that indicates whether the list accepts no more observers.
  private(set) var isClosed = false
  /// The tokens to notify when the list drops their plain observers, keyed by the observer's address.
  private var watchers: [UInt: WeakCancellable] = [:]

  /// The number of pauses of a plain observer, keyed by its address.
  private var pauses: [UInt: Int] = [:]

  /// A Boolean value that indicates whether a post has to merge several lanes.
  var isSplit: Bool { lanes.isSplit }

  /// Returns whether adding an observer of a priority may split the list into several lanes.
  func splits(with priority: Int) -> Bool { isSplit || lanes.splits(with: priority) }
  /// The number of filled slots in the common lanes.
  var slotCount: Int { lanes.slotCount }
  /// The groups of observers that are restricted to a sender.
  var senderGroups: [SenderGroup] { senders.all }

  /// The number of watched observers, or `nil` if there are too few for a probe.
  ///
  /// Too few means that one more observer stays within the bound, at most max(8, 2 × living), even if all
  /// watched owners are dead.
  var watchedCountWorthProbing: Int? {
    count >= 8 && 2 * watched.count > count + 1 ? watched.count : nil
  }

  /// Records a registration to check in a turn of an actor.
  ///
  /// - Returns: The registration it replaces; `nil` means that a turn has to be requested.
  mutating func suspect(_ link: ObserverLink, on mailbox: Mailbox) -> ObserverLink? {
    suspects.updateValue(link, forKey: ObjectIdentifier(mailbox))
  }

  /// Removes and returns the registration to check in a turn of an actor.
  mutating func takeSuspect(on mailbox: Mailbox) -> ObserverLink? {
    suspects.removeValue(forKey: ObjectIdentifier(mailbox))
  }

  /// Removes all registrations to check, for release without a lock.
  mutating func takeSuspects() -> [ObjectIdentifier: ObserverLink] {
    defer { suspects = [:] }
    return suspects
  }

  /// Links an observer.
  ///
  /// - Parameters:
  ///   - observer: The observer, already numbered.
  ///   - priority: Its priority.
  ///   - sender: The only sender it observes; `nil` for any.
  ///   - published: The view of the observers of any sender.
  ///   - table: The published table of sender groups.
  /// - Returns: The items that the change unlinked.
  mutating func add(
    _ observer: AnyObserver,
    priority: Int,
    for sender: AnyObject?,
    _ published: borrowing PublishedLanes,
    _ table: borrowing Atomic<UInt>
  ) -> Retirees {
    count += 1
    if observer.isBound { boundCount += 1 }
    defer { if observer.isWatched { watched.insert(observer) } }
    guard let sender else { return lanes.append(observer, priority: priority, to: published) }
    addressedCount += 1
    if let group = SenderTable.lookup(sender, in: table) {
      observer.join(group)
      return group.lanes.append(observer, priority: priority, to: group.published)
    }
    let group = SenderGroup(sender, birth: observer.order)
    observer.join(group)
    var retirees = group.lanes.append(observer, priority: priority, to: group.published)
    retirees.append(contentsOf: senders.insert(group, table))
    return retirees
  }

  /// Unlinks the observer at an address, which only the caller has the right to remove.
  ///
  /// - Returns: The unlinked items; none when the list is closed.
  mutating func remove(
    _ address: UInt,
    _ published: borrowing PublishedLanes,
    _ table: borrowing Atomic<UInt>
  ) -> Retirees {
    guard !isClosed else { return Retirees() }
    if !watchers.isEmpty { watchers[address] = nil }
    if !pauses.isEmpty { pauses[address] = nil }
    let retirees = AnyObserver.borrow(address) { observer in
      count -= 1
      if observer.isBound { boundCount -= 1 }
      if observer.isWatched { watched.remove(observer) }
      observer.stopCalls()
      guard let group = observer.senderGroup else { return lanes.remove(observer, from: published) }
      addressedCount -= 1
      var retirees = group.lanes.remove(observer, from: group.published)
      if group.published.live.load(ordering: .relaxed) == 0 {
        retirees.append(contentsOf: group.lanes.removeAll(from: group.published))
        retirees.append(contentsOf: senders.remove(group, table))
      }
      return retirees
    }
    return retirees ?? Retirees()
  }

  /// Refuses further observers, and forgets the tokens to notify.
  ///
  /// - Returns: The tokens to notify.
  mutating func close() -> [WeakCancellable] {
    isClosed = true
    defer { watchers = [:] }
    return Array(watchers.values)
  }

  /// Unlinks everything.
  mutating func removeAll(
    _ published: borrowing PublishedLanes,
    _ table: borrowing Atomic<UInt>
  ) -> Retirees {
    var retirees = lanes.removeAll(from: published)
    for group in senders.all {
      retirees.append(contentsOf: group.lanes.removeAll(from: group.published))
    }
    retirees.append(contentsOf: senders.removeAll(table))
    (addressedCount, boundCount, count) = (0, 0, 0)
    watched = WatchedObservers()
    return retirees
  }

  /// Adds a pause to a plain observer, or removes one.
  mutating func changePauses(_ address: UInt, by change: Int) {
    guard !isClosed else { return }
    let count = (pauses[address] ?? 0) + change
    pauses[address] = count > 0 ? count : nil
    AnyObserver.borrow(address) { $0.setPaused(count > 0) }
  }

  /// Prevents further calls of a plain observer that is still linked.
  func stopCalls(_ address: UInt) {
    if !isClosed { AnyObserver.borrow(address) { $0.stopCalls() } }
  }

  /// Notifies a token when the list closes.
  ///
  /// - Returns: `false` if the list is closed already.
  mutating func watch(_ address: UInt, by watcher: WeakCancellable) -> Bool {
    guard !isClosed else { return false }
    watchers[address] = watcher
    return true
  }
}

/// Numbers the registrations of one bus, across all its signals.
///
/// A post reads the newest number once and skips later registrations.
package final class RegistrationCounter: Sendable {
  private let last = Atomic<UInt>(0)

  /// Creates a counter that starts at zero.
  package init() {}

  /// The newest number assigned.
  package var newest: UInt { last.load(ordering: .sequentiallyConsistent) }

  /// Assigns the next number.
  package func next() -> UInt {
    last.wrappingAdd(1, ordering: .sequentiallyConsistent).newValue
  }
}
