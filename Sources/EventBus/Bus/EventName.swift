internal import Synchronization

/// The name of an event and the type of what it carries.
///
/// Two names with the same string and the same payload type are the same event, wherever they were made;
/// the same string with another payload type is another event. A name is a constant: it is interned when
/// it is made and stays for the life of the process. For events of single objects use a ``Signal``.
///
/// ## Thread safety
///
/// Names may be made and used on any thread.
public final class EventName<Payload: Sendable>: EventNames,
  @unchecked Sendable  // Reason: constant.
{
  /// The string the name was made with.
  public let rawValue: String
  let interned: InternedName

  /// Makes, or finds, a name.
  ///
  /// An empty string is a mistake of the program and traps.
  ///
  /// - Parameters:
  ///   - rawValue: The string, usually `"subject.didHappen"`.
  ///   - replay: How many of the last payloads a bus keeps for observers that come later. Names that are
  ///     the same event share the largest number.
  /// - Complexity: O(1), one look-up under a lock. Posting never hashes a string.
  public init(_ rawValue: String, replay: Int = 0) {
    if rawValue.isEmpty {
      trap(
        "The name of an event is empty",
        remedy: "Give it a string such as \"document.didSave\""
      )
    }
    if replay < 0 {
      trap(
        "The event \"\(rawValue)\" asks for a replay of \(replay)",
        remedy: "Use zero or more"
      )
    }
    self.rawValue = rawValue
    interned = InternedName.find(rawValue, payload: Payload.self, replay: replay)
    super.init(index: interned.index)
  }
}

extension EventName: CustomStringConvertible {
  /// The string the name was made with.
  public var description: String { rawValue }
}

/// The namespace of event names, to be extended with yours.
///
/// ```swift
/// extension EventNames {
///   static let userDidLogIn = EventName<User>("user.didLogIn")
///   static let didSave = EventName<Void>("document.didSave")
/// }
/// bus.post(.userDidLogIn, user)
/// ```
///
/// The class exists because a stored static cannot be declared in an extension of a generic type. It has
/// no public initializer; every instance is an ``EventName``. In a module whose default isolation is the
/// main actor, write `nonisolated extension EventNames`.
public class EventNames: Hashable, @unchecked Sendable {  // Reason: constant.
  /// The name's number in this process: equal names have equal numbers.
  @usableFromInline
  let index: Int

  init(index: Int) { self.index = index }

  /// Names are equal when string and payload type are.
  public static func == (left: EventNames, right: EventNames) -> Bool { left.index == right.index }

  /// Hashes the name's number.
  public func hash(into hasher: inout Hasher) { hasher.combine(index) }
}

/// What all names share that are the same event.
final class InternedName: Sendable {
  private struct Key: Hashable {
    let rawValue: String
    let payload: ObjectIdentifier
  }

  private struct Registry {
    var names: [Key: InternedName] = [:]
  }

  private static let registry = Locked(Registry())

  /// The event's number: names are numbered from zero.
  let index: Int
  private let largestReplay = Atomic<Int>(0)
  /// The lists of all buses that deliver the event, to be told when it is replayed from now on.
  private let lists = Locked(WeakObjects<ListProxy>())

  private init(index: Int) { self.index = index }

  /// The largest replay any of the names asked for.
  var replay: Int { largestReplay.load(ordering: .acquiring) }

  /// Finds what belongs to a string and a payload type, or makes it.
  static func find(_ rawValue: String, payload: Any.Type, replay: Int) -> InternedName {
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
  func add(_ list: ListProxy) {
    lists.withLock { $0.insert(list) }
    if replay > 0 { list.with { $0.noteReplay() } }
  }

  /// Forgets a list that is dying.
  func remove(_ list: ObjectIdentifier) { lists.withLock { $0.remove(list) } }
}
