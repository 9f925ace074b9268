internal import Synchronization

/// What all names share that are the same event.
internal final class InternedName: Sendable {
  private struct Key: Hashable {
    let rawValue: String
    let payload: ObjectIdentifier
  }

  private struct Registry {
    var names: [Key: InternedName] = [:]
  }

  private static let registry = Locked(Registry())

  /// The event's number: names are numbered from zero.
  internal let index: Int
  private let largestReplay = Atomic<Int>(0)
  /// The lists of all buses that deliver the event, to be told when it is replayed from now on.
  private let lists = Locked(WeakObjects<ListProxy>())

  private init(index: Int) { self.index = index }

  /// The largest replay any of the names asked for.
  internal var replay: Int { largestReplay.load(ordering: .acquiring) }

  /// Finds what belongs to a string and a payload type, or makes it.
  internal static func find(_ rawValue: String, payload: Any.Type, replay: Int) -> InternedName {
    let key = Key(rawValue: rawValue, payload: ObjectIdentifier(payload))
    let name = registry.withLock { registry in
      if let known = registry.names[key] { return known }
      let name = InternedName(index: registry.names.count)
      registry.names[key] = name
      return name
    }
    let former = name.largestReplay.max(replay, ordering: .acquiringAndReleasing).oldValue
    if former == 0, replay > 0 {
      for list in name.lists.withLock({ $0 }).living { list.with { $0.noteReplay() } }
    }
    return name
  }

  /// Takes note of a list that delivers the event.
  internal func add(_ list: ListProxy) {
    lists.withLock { $0.insert(list) }
    if replay > 0 { list.with { $0.noteReplay() } }
  }

  /// Forgets a list that is dying.
  internal func remove(_ list: ObjectIdentifier) { lists.withLock { $0.remove(list) } }
}
