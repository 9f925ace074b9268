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
    name.largestReplay.max(replay, ordering: .acquiringAndReleasing)
    return name
  }
}
