package import Synchronization

/// Who is registered in one list: the value behind its lock.
///
/// It decides where an observer belongs and keeps what readers see in step; what a change unlinked is
/// returned, for the caller to retire after unlocking.
package struct ObserverRegistry: Sendable {
  private var lanes = ObserverLanes()
  private var senders = SenderTable()
  /// How many observers named a sender.
  private var addressed = 0
  /// How many observers need to know where an event comes from.
  package private(set) var boundCount = 0
  /// The observers whose owner or sender may die unnoticed.
  package private(set) var watched = WatchedObservers()
  /// Registrations to be looked at on an actor, by the mailbox that was asked for a turn.
  private var suspects: [ObjectIdentifier: ObserverLink] = [:]
  /// How many observers there are.
  package private(set) var count = 0
  /// Whether the list takes no more observers.
  package private(set) var isClosed = false
  /// Tokens to be told when their plain observer goes without them, by the observer's address.
  private var watchers: [UInt: WeakCancellable] = [:]

  /// How often a plain observer is paused, by its address.
  private var pauses: [UInt: Int] = [:]

  /// Creates an empty registry.
  package init() {}

  /// Whether a post has to merge several lanes.
  package var isSplit: Bool { lanes.isSplit }

  /// Whether observers may be in more than one lane once one of a priority is added.
  package func splits(with priority: Int) -> Bool { isSplit || lanes.splits(with: priority) }
  /// How many observers named a sender.
  package var addressedCount: Int { addressed }
  /// How many slots of the common lanes are filled.
  package var slotCount: Int { lanes.slotCount }
  /// The groups of observers that named a sender.
  package var senderGroups: [SenderGroup] { senders.all }

  /// How many observers are watched, unless so few are that one more observer is within the bound, at
  /// most max(8, 2 × living), even if all of them are dead.
  package var watchedCountWorthProbing: Int? {
    count >= 8 && 2 * watched.count > count + 1 ? watched.count : nil
  }

  /// Takes note of a registration to be looked at in the turn of an actor.
  ///
  /// - Returns: The one it replaces: only if there is none, a turn has to be asked for.
  package mutating func suspect(_ link: ObserverLink, on mailbox: Mailbox) -> ObserverLink? {
    suspects.updateValue(link, forKey: ObjectIdentifier(mailbox))
  }

  /// Takes out the registration to be looked at in the turn of an actor.
  package mutating func takeSuspect(on mailbox: Mailbox) -> ObserverLink? {
    suspects.removeValue(forKey: ObjectIdentifier(mailbox))
  }

  /// Takes out all registrations to be looked at, to be released under no lock.
  package mutating func takeSuspects() -> [ObjectIdentifier: ObserverLink] {
    defer { suspects = [:] }
    return suspects
  }

  /// Links an observer.
  ///
  /// - Parameters:
  ///   - observer: The observer, numbered already.
  ///   - priority: Its priority.
  ///   - sender: The sender it is for.
  ///   - published: What readers see of the observers for any sender.
  ///   - table: What readers see of the groups.
  /// - Returns: What the change unlinked.
  package mutating func add(
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
    addressed += 1
    if let group = SenderTable.find(sender, in: table) {
      observer.join(group)
      return group.lanes.append(observer, priority: priority, to: group.published)
    }
    let group = SenderGroup(sender, birth: observer.order)
    observer.join(group)
    var retirees = group.lanes.append(observer, priority: priority, to: group.published)
    retirees.append(contentsOf: senders.insert(group, table))
    return retirees
  }

  /// Unlinks the observer at an address, which the caller alone has the right to remove.
  ///
  /// - Returns: What was unlinked: nothing when the list is closed.
  package mutating func remove(
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
      addressed -= 1
      var retirees = group.lanes.remove(observer, from: group.published)
      if group.published.live.load(ordering: .relaxed) == 0 {
        retirees.append(contentsOf: group.lanes.removeAll(from: group.published))
        retirees.append(contentsOf: senders.remove(group, table))
      }
      return retirees
    }
    return retirees ?? Retirees()
  }

  /// Takes no more observers, and forgets who is to be told.
  ///
  /// - Returns: The tokens to be told.
  package mutating func close() -> [WeakCancellable] {
    isClosed = true
    let told = Array(watchers.values)
    watchers = [:]
    return told
  }

  /// Unlinks everything.
  package mutating func removeAll(
    _ published: borrowing PublishedLanes,
    _ table: borrowing Atomic<UInt>
  ) -> Retirees {
    var retirees = lanes.removeAll(from: published)
    for group in senders.all {
      retirees.append(contentsOf: group.lanes.removeAll(from: group.published))
    }
    retirees.append(contentsOf: senders.removeAll(table))
    (addressed, boundCount, count) = (0, 0, 0)
    watched = WatchedObservers()
    return retirees
  }

  /// Pauses a plain observer once more, or once less.
  package mutating func changePauses(_ address: UInt, by change: Int) {
    guard !isClosed else { return }
    let count = (pauses[address] ?? 0) + change
    pauses[address] = count > 0 ? count : nil
    AnyObserver.borrow(address) { $0.setPaused(count > 0) }
  }

  /// Lets no call of a plain observer begin any more, although it is linked.
  package func stopCalls(_ address: UInt) {
    if !isClosed { AnyObserver.borrow(address) { $0.stopCalls() } }
  }

  /// Sees to it that a token is told when the list closes.
  ///
  /// - Returns: `false` when it is closed.
  package mutating func watch(_ address: UInt, by watcher: WeakCancellable) -> Bool {
    guard !isClosed else { return false }
    watchers[address] = watcher
    return true
  }
}

/// Numbers the registrations of one bus, across all its signals.
///
/// A post reads the number once and skips what was registered later.
package final class RegistrationCounter: Sendable {
  private let last = Atomic<UInt>(0)

  /// Creates a counter that has given out nothing.
  package init() {}

  /// The newest number given out.
  package var newest: UInt { last.load(ordering: .sequentiallyConsistent) }

  /// The next number.
  package func next() -> UInt {
    last.wrappingAdd(1, ordering: .sequentiallyConsistent).newValue
  }
}
