internal import EventBus
internal import Foundation

/// The mirrors of the process, by the bus or center on which they listen, so that an event is forwarded once from there
/// and does not go back.
///
/// ## Thread safety
///
/// Every member may be called from any thread. Tokens are released outside the lock.
final class Routes: Sendable {
  static let shared = Routes()

  /// A name on a bus or at a center.
  struct Source: Hashable, Sendable {
    fileprivate let place: ObjectIdentifier
    fileprivate let name: Journey.Name

    init(_ bus: EventBus, _ event: AnyEventName) {
      (place, name) = (ObjectIdentifier(bus), .event(event))
    }

    init(_ center: NotificationCenter, _ notification: Notification.Name) {
      (place, name) = (ObjectIdentifier(center), .notification(notification))
    }
  }

  private struct Mirrors {
    /// Oldest first.
    var list: [Mirror] = []
    /// The number of all removals when one of these mirrors was last removed, or when the first was added.
    var lastRemoval: Int
  }

  private struct State {
    var mirrors: [Source: Mirrors] = [:]
    var removalCount = 0
    var lastNumber: UInt = 0
  }

  private let state = Locked(State())

  /// A number that was never used before.
  var newNumber: UInt {
    state.withLock { state in
      state.lastNumber += 1
      return state.lastNumber
    }
  }

  /// A number that changes whenever a mirror of a source is removed.
  func lastRemoval(at source: Source) -> Int? { state.withLock { $0.mirrors[source]?.lastRemoval } }

  /// Adds a mirror.
  func add(_ mirror: Mirror) {
    state.withLock { state in
      let count = state.removalCount
      state.mirrors[mirror.source, default: Mirrors(lastRemoval: count)].list.append(mirror)
    }
  }

  /// Removes a mirror.
  func remove(_ mirror: Mirror) {
    let removed = state.withLock { state -> [Mirror] in
      guard let mirrors = state.mirrors[mirror.source]?.list else { return [] }
      let rest = mirrors.filter { $0 !== mirror }
      guard rest.count < mirrors.count else { return mirrors }
      state.removalCount += 1
      state.mirrors[mirror.source] =
        rest.isEmpty ? nil : Mirrors(list: rest, lastRemoval: state.removalCount)
      return mirrors
    }
    withExtendedLifetime(removed) {}
  }

  /// The mirrors that a post at a source calls, oldest first.
  ///
  /// Those of a bus or a center that has been released, at the same address, have ended and are never called.
  ///
  /// - Parameters:
  ///   - source: The name, and the bus or the center.
  ///   - sender: The sender of the event or the object of the notification.
  /// - Returns: The mirrors.
  func mirrors(at source: Source, sender: AnyObject?) -> [Mirror] {
    // Compared outside the lock, because that retains and releases the wanted senders.
    let mirrors = state.withLock { $0.mirrors[source]?.list }
    return mirrors?.filter { $0.filter.admits(sender) } ?? []
  }

  /// The mirrors that a post on a bus calls if a mirror is the first one called, oldest first: those for any sender,
  /// and those for the same one.
  func siblings(of mirror: Mirror) -> [Mirror] {
    let mirrors = state.withLock { $0.mirrors[mirror.source]?.list } ?? []
    return mirrors.filter { $0.filter.admitsAny || mirror.filter.sharesObject(with: $0.filter) }
  }
}

/// A mirror from a bus to a center, or the reverse.
final class Mirror: Sendable {
  /// Identifies the mirror, even after it has been released.
  let number = Routes.shared.newNumber
  let source: Routes.Source
  /// The condition on the sender of the events, or on the object of the notifications.
  let filter: ObjectFilter
  /// The center and the name to which the mirror leads, if it comes from a bus.
  let target: (center: NotificationCenter, notification: Notification.Name)?
  private let registration = Locked<Token?>(nil)

  init(
    from source: Routes.Source,
    where filter: ObjectFilter,
    to target: (center: NotificationCenter, notification: Notification.Name)? = nil
  ) {
    (self.source, self.filter, self.target) = (source, filter, target)
  }

  /// The registration with the bus, once the mirror has been registered.
  var token: Token? { registration.withLock { $0 } }

  /// Adds the mirror to the routes.
  func begin(_ token: Token? = nil) {
    registration.withLock { $0 = token }
    Routes.shared.add(self)
  }
}

/// A registration with a center.
final class CenterRegistration: Sendable {
  private struct State: @unchecked Sendable {  // Reason: used under a lock.
    var observer: (any NSObjectProtocol)?
  }

  private let center: NotificationCenter
  private let state: Locked<State>

  init(_ center: NotificationCenter, _ observer: any NSObjectProtocol) {
    self.center = center
    state = Locked(State(observer: observer))
  }

  /// Ends the registration.
  func end() {
    let taken = state.withLock { state in
      defer { state.observer = nil }
      return State(observer: state.observer)
    }
    if let observer = taken.observer { center.removeObserver(observer) }
  }
}

/// The identity of an object, which is not retained.
final class WeakObject: @unchecked Sendable {  // Reason: constant; only the identity is used.
  private weak let object: AnyObject?

  init(_ object: AnyObject?) { self.object = object }

  /// The object, if it lives.
  var value: AnyObject? { object }
}

/// An object on its way to a post on the same thread.
///
/// Not weak: a notification may come from the `deinit` of its object, of which there are no weak references.
struct CarriedObject: @unchecked Sendable {  // Reason: used on one thread.
  let object: AnyObject?
}

/// The condition on the object of a notification.
struct ObjectFilter: Sendable {
  private let wanted: WeakObject?

  /// Creates a condition.
  ///
  /// - Parameter object: The wanted object; `nil` admits every notification.
  init(_ object: AnyObject?) { wanted = object.map(WeakObject.init) }

  /// Whether a notification has the wanted object.
  func admits(_ notification: Notification) -> Bool { admits(sender(of: notification)) }

  /// True if every object is admitted.
  var admitsAny: Bool { wanted == nil }

  /// Whether both conditions want one object, which lives.
  func sharesObject(with other: ObjectFilter) -> Bool {
    guard let object = wanted?.value else { return false }
    return object === other.wanted?.value
  }

  /// Whether an object is the wanted one.
  func admits(_ object: AnyObject?) -> Bool {
    guard let wanted else { return true }
    // The center may compare addresses only, which a later object can have as well.
    guard let wanted = wanted.value else { return false }
    return object === wanted
  }

  /// The object of a notification, unless it is a value.
  func sender(of notification: Notification) -> AnyObject? {
    guard let object = notification.object, type(of: object) is any AnyObject.Type else {
      return nil
    }
    return object as AnyObject
  }
}
