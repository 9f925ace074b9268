internal import Synchronization

/// The name of an event, with the type of its payload.
///
/// Names with equal strings and the same payload type denote the same event, wherever they were created. An
/// equal string with a different payload type denotes a different event. A name is a constant: it is
/// interned when it is created and kept for the life of the process. For the events of single objects, use
/// a ``Signal``.
///
/// ## Thread safety
///
/// Names may be created and used on any thread.
public final class EventName<Payload: Sendable>: AnyEventName,
  @unchecked Sendable  // Reason: constant.
{
  /// The string of the name.
  public let name: String
  let interned: InternedName

  /// The number of most recent payloads that a bus keeps for later observers: the largest that any name of the
  /// event asked for.
  ///
  /// - Complexity: O(1).
  public var replay: Int { interned.replay }

  /// Creates a name.
  ///
  /// - Precondition: The string is not empty, and `replay` is not negative.
  ///
  /// - Parameters:
  ///   - name: The string, usually `"subject.didHappen"`.
  ///   - replay: The number of most recent payloads that a bus keeps for later observers. Names of the same
  ///     event share the largest number.
  ///   - fileID: The file of the call; filled in by the compiler.
  ///   - line: The line in that file; filled in by the compiler.
  /// - Complexity: O(1), one lookup under a lock. Posting never hashes a string.
  public convenience init(
    _ name: String,
    replay: Int = 0,
    fileID: StaticString = #fileID,
    line: UInt = #line
  ) {
    self.init(name, replay: replay, isLifecycle: false, fileID, line)
  }

  /// Creates a name by which a library of the package announces the life of the program.
  ///
  /// Such events are not reported as unhandled.
  package convenience init(
    lifecycle name: String,
    replay: Int = 0,
    fileID: StaticString = #fileID,
    line: UInt = #line
  ) {
    self.init(name, replay: replay, isLifecycle: true, fileID, line)
  }

  private init(
    _ name: String,
    replay: Int,
    isLifecycle: Bool,
    _ fileID: StaticString,
    _ line: UInt
  ) {
    if name.isEmpty {
      trap(
        "The name of an event is empty",
        remedy: "Give it a string such as \"document.didSave\"",
        fileID: fileID,
        line: line
      )
    }
    if replay < 0 {
      trap(
        "The replay count of the event \"\(name)\" is negative: \(replay)",
        remedy: "Use zero or more",
        fileID: fileID,
        line: line
      )
    }
    self.name = name
    interned = InternedName.lookup(name, payload: Payload.self, replay: replay)
    if isLifecycle { interned.noteLifecycle() }
    super.init(index: interned.index)
  }
}

extension EventName: CustomStringConvertible {
  /// The string of the name.
  public var description: String { name }
}

/// A name whose payload type does not matter, for elements of collections.
///
/// ```swift
/// extension EventNames {
///   static let userDidLogIn = EventName<String>("user.didLogIn")
///   static let didSave = EventName<Void>("document.didSave")
/// }
///
/// let muted: Set<AnyEventName> = [.userDidLogIn, .didSave]
/// print(muted.contains(.didSave))  // true
/// ```
///
/// It has no public initializer; every instance is an ``EventName``.
public class AnyEventName: Hashable, @unchecked Sendable {  // Reason: constant.
  /// The number of the name in this process; equal names have equal numbers.
  @usableFromInline
  let index: Int

  init(index: Int) { self.index = index }

  /// Returns whether two names have equal strings and the same payload type.
  public static func == (left: AnyEventName, right: AnyEventName) -> Bool {
    left.index == right.index
  }

  /// Hashes the number of the name.
  public func hash(into hasher: inout Hasher) { hasher.combine(index) }
}

/// The namespace for event names; extend it with your own.
///
/// ```swift
/// extension EventNames {
///   static let userDidLogIn = EventName<String>("user.didLogIn")
///   static let didSave = EventName<Void>("document.didSave")
/// }
///
/// let bus = EventBus()
/// bus.post(.userDidLogIn, "Ada")
/// bus.post(.didSave)
/// ```
///
/// The names belong to a class without type parameters because an extension of a generic type cannot declare a stored
/// static property. In a module whose default isolation is the main actor, write `nonisolated extension EventNames`.
public typealias EventNames = AnyEventName

/// The state shared by all names of one event.
final class InternedName: Sendable {
  /// The names by the type of their payload and their string.
  private static let names = Locked([ObjectIdentifier: [String: InternedName]]())

  /// The number of the event, counted from zero.
  let index: Int
  private let largestReplay = Atomic<Int>(0)
  private let isOfLifecycle = Atomic<Bool>(false)
  /// The addresses of the lists that deliver the event, which are notified when replay is first requested.
  ///
  /// A list removes its address in its `deinit`, so the lock delays the destruction of a list in use. A weak
  /// reference would give the list a side table, which slows down every later retain and release of it.
  private let lists = Locked<Set<UInt>>([])

  private init(index: Int) { self.index = index }

  /// The largest replay count that any of the names asked for.
  var replay: Int { largestReplay.load(ordering: .acquiring) }

  /// Whether the event announces the life of the program, and so is not reported as unhandled.
  var isLifecycle: Bool { isOfLifecycle.load(ordering: .relaxed) }

  func noteLifecycle() { isOfLifecycle.store(true, ordering: .relaxed) }

  /// Returns the shared state for a string and a payload type, and creates it if necessary.
  static func lookup(_ name: String, payload: Any.Type, replay: Int) -> InternedName {
    let payload = ObjectIdentifier(payload)
    let interned = names.withLock { names in
      if let known = names[payload]?[name] { return known }
      let interned = InternedName(index: names.values.reduce(0) { $0 + $1.count })
      names[payload, default: [:]][name] = interned
      return interned
    }
    let former = interned.largestReplay.max(replay, ordering: .acquiringAndReleasing).oldValue
    if former == 0, replay > 0 {
      interned.lists.withLock { lists in
        for list in lists {
          _ = ObjectAddress.borrow(list) { (list: ObserverList) in list.noteReplay() }
        }
      }
    }
    return interned
  }

  /// Adds a list that delivers the event.
  func add(_ list: ObserverList) {
    let address = ObjectAddress.of(list)
    lists.withLock { _ = $0.insert(address) }
    if replay > 0 { list.noteReplay() }
  }

  /// Removes a list that is being destroyed.
  func remove(_ list: ObserverList) {
    let address = ObjectAddress.of(list)
    lists.withLock { _ = $0.remove(address) }
  }
}

// A file that declares its own `Token` refers to that of the library as `EventBus.Token`.
extension EventBus {
  /// The library's ``Token``, for a file with another type of that name.
  public typealias Token = EventBus::Token
  /// The library's ``TokenBag``, for a file with another type of that name.
  public typealias TokenBag = EventBus::TokenBag
  /// The library's ``Priority``, for a file with another type of that name.
  public typealias Priority = EventBus::Priority
  /// The library's ``Lifetime``, for a file with another type of that name.
  public typealias Lifetime = EventBus::Lifetime
  /// The library's ``Tick``, for a file with another type of that name.
  public typealias Tick = EventBus::Tick
}
