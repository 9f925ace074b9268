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
  /// How many observers have an owner that dies without telling.
  package private(set) var untold = 0
  /// Whether the list takes no more observers.
  package private(set) var isClosed = false
  /// Tokens to be told when their plain observer goes without them, by the observer's address.
  private var watchers: [UInt: WeakCancellable] = [:]

  /// How often plain observers were called.
  package private(set) var ledger = DeliveryLedger()
  /// How often a plain observer is paused, by its address.
  private var pauses: [UInt: Int] = [:]

  /// Creates an empty registry.
  package init() {}

  /// Whether a post has to merge several lanes.
  package var isSplit: Bool { lanes.isSplit }
  /// How many observers named a sender.
  package var addressedCount: Int { addressed }
  /// How many slots of the common lanes are filled.
  package var slotCount: Int { lanes.slotCount }
  /// The groups of observers that named a sender.
  package var senderGroups: [SenderGroup] { senders.all }

  /// Whether an observer for this sender would make the table of senders grow.
  package func grows(for sender: AnyObject, _ table: borrowing Atomic<UInt>) -> Bool {
    senders.isFull(table) && SenderTable.find(sender, in: table) == nil
  }

  /// Links an observer.
  ///
  /// - Parameters:
  ///   - observer: The observer, numbered already.
  ///   - priority: Its priority.
  ///   - sender: The sender it is for.
  ///   - published: What readers see of the observers for any sender.
  ///   - table: What readers see of the groups.
  ///   - walks: How many posts have walked the list.
  /// - Returns: What the change unlinked.
  package mutating func add(
    _ observer: AnyObserver,
    priority: Int,
    for sender: AnyObject?,
    _ published: borrowing PublishedLanes,
    _ table: borrowing Atomic<UInt>,
    walks: UInt
  ) -> Retirees {
    if observer.needsSweeping { untold += 1 }
    if observer.deliveredCount == nil {
      ledger.walks = walks
      ledger.added(observer.order, living: published.live.load(ordering: .relaxed)) {
        lanes.oldestOrder ?? observer.order
      }
    }
    guard let sender else { return lanes.append(observer, priority: priority, to: published) }
    addressed += 1
    if let group = SenderTable.find(sender, in: table) {
      observer.join(group)
      return group.lanes.append(observer, priority: priority, to: group.published)
    }
    let group = SenderGroup(sender)
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
    ledger.removed(address)
    let retirees = AnyObserver.borrow(address) { observer in
      if observer.needsSweeping { untold -= 1 }
      observer.flags.bitwiseOr(AnyObserver.cancelled, ordering: .sequentiallyConsistent)
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
    (addressed, untold) = (0, 0)
    return retirees
  }

  /// Pauses a plain observer once more, or once less.
  package mutating func changePauses(_ address: UInt, by change: Int, walks: UInt) {
    guard !isClosed else { return }
    let count = (pauses[address] ?? 0) + change
    pauses[address] = count > 0 ? count : nil
    AnyObserver.borrow(address) { $0.setPaused(count > 0) }
    ledger.walks = walks
    ledger.setPaused(address, count > 0)
  }

  /// Takes note that a post left a plain observer out.
  package mutating func missedOne(_ address: UInt) {
    if !isClosed { ledger.missedOne(address) }
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
