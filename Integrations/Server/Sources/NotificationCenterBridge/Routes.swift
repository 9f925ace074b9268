internal import EventBus
internal import Foundation
private import Locks

/// The mirrors that lead from buses to centres, so that what comes from a centre does not go back.
///
/// ## Thread safety
///
/// Every member may be called from any thread. Tokens are released outside the lock.
final class Routes: Sendable {
  static let shared = Routes()

  fileprivate struct Key: Hashable {
    let event: EventNames
    let bus: ObjectIdentifier

    init(_ event: EventNames, _ bus: EventBus) {
      (self.event, self.bus) = (event, ObjectIdentifier(bus))
    }
  }

  /// A mirror from a bus to a centre.
  struct Mirror: Sendable {
    fileprivate let key: Key
    let way: Way
    /// The registration with the bus.
    let token: Token
    /// The condition on the sender of the events.
    fileprivate let filter: ObjectFilter
  }

  private struct State {
    /// The mirrors of each event, oldest first.
    var mirrors: [Key: [Mirror]] = [:]
  }

  private let state = Locked(State())

  /// Adds a mirror.
  ///
  /// - Parameters:
  ///   - way: The way of the mirror.
  ///   - token: Its registration with the bus.
  ///   - event: The event.
  ///   - bus: The bus.
  ///   - filter: The condition of the registration on the sender of an event.
  /// - Returns: The mirror, for ``remove(_:)``.
  func add(
    _ way: Way,
    _ token: Token,
    for event: EventNames,
    from bus: EventBus,
    where filter: ObjectFilter
  ) -> Mirror {
    let mirror = Mirror(key: Key(event, bus), way: way, token: token, filter: filter)
    state.withLock { $0.mirrors[mirror.key, default: []].append(mirror) }
    return mirror
  }

  /// Removes a mirror.
  func remove(_ mirror: Mirror) {
    let removed = state.withLock { state in
      let mirrors = state.mirrors[mirror.key] ?? []
      let rest = mirrors.filter { $0.token != mirror.token }
      state.mirrors[mirror.key] = rest.isEmpty ? nil : rest
      return mirrors
    }
    withExtendedLifetime(removed) {}
  }

  /// The mirrors that lead on from a bus for an event of a sender, oldest first.
  ///
  /// Those of a bus that has been released, at the same address, have ended and are never called.
  func mirrors(of event: EventNames, sender: AnyObject?, from bus: EventBus) -> [Mirror] {
    let key = Key(event, bus)
    // Compared outside the lock, because that retains and releases the wanted senders.
    let mirrors = state.withLock { $0.mirrors[key] }
    return mirrors?.filter { $0.filter.admits(sender) } ?? []
  }
}

/// The way of a mirror from a bus to a centre; its identity is that of the mirror.
final class Way: Sendable {
  let center: NotificationCenter
  let notification: Notification.Name

  init(to center: NotificationCenter, _ notification: Notification.Name) {
    (self.center, self.notification) = (center, notification)
  }
}

/// A registration with a centre.
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

/// An object that is not retained.
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

  /// Whether an object is the wanted one.
  func admits(_ object: AnyObject?) -> Bool {
    guard let wanted else { return true }
    // The centre may compare addresses only, which a later object can have as well.
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
