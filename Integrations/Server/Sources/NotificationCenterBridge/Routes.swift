internal import EventBus
internal import Foundation
private import Locks

/// An event and the notification that stands for it.
struct Route: Hashable, Sendable {
  let event: EventNames
  let notification: String

  init(name: EventNames, notification: Notification.Name) {
    (event, self.notification) = (name, notification.rawValue)
  }
}

/// The origin of a notification that mirrors an event, carried in its `userInfo`.
final class Origin: Sendable {
  static let key = "EventBus.NotificationCenterBridge.origin"

  private weak let bus: EventBus?
  private let route: Route

  init(_ bus: EventBus, _ route: Route) { (self.bus, self.route) = (bus, route) }

  /// Whether a post on a bus would be an echo.
  func isOf(_ bus: EventBus, _ route: Route) -> Bool { self.bus === bus && self.route == route }
}

/// The registrations that mirror events to centres, so that what comes from a centre does not go back.
///
/// ## Thread safety
///
/// Every member may be called from any thread. Tokens are released outside the lock.
final class Routes: Sendable {
  static let shared = Routes()

  fileprivate struct Key: Hashable {
    let route: Route
    let bus: ObjectIdentifier
    let center: ObjectIdentifier
  }

  /// A registration, to be removed.
  struct Entry: Sendable {
    fileprivate let key: Key
    fileprivate let token: Token
    /// The condition on the sender of the events.
    fileprivate let filter: ObjectFilter
  }

  private struct State {
    /// The registrations of each route, oldest first.
    var entries: [Key: [Entry]] = [:]
  }

  private let state = Locked(State())

  /// Adds a registration.
  ///
  /// - Parameters:
  ///   - token: The registration.
  ///   - route: The route.
  ///   - filter: The condition of the registration on the sender of an event.
  ///   - bus: The bus of the events.
  ///   - center: The centre of the notifications.
  /// - Returns: The entry, for ``remove(_:)``.
  func add(
    _ token: Token,
    for route: Route,
    where filter: ObjectFilter,
    from bus: EventBus,
    to center: NotificationCenter
  ) -> Entry {
    let key = Key(route: route, bus: ObjectIdentifier(bus), center: ObjectIdentifier(center))
    let entry = Entry(key: key, token: token, filter: filter)
    state.withLock { $0.entries[key, default: []].append(entry) }
    return entry
  }

  /// Removes a registration.
  func remove(_ entry: Entry) {
    let removed = state.withLock { state in
      let entries = state.entries[entry.key] ?? []
      let rest = entries.filter { $0.token != entry.token }
      state.entries[entry.key] = rest.isEmpty ? nil : rest
      return entries
    }
    withExtendedLifetime(removed) {}
  }

  /// The registration that would send a notification back to its centre, for an event of a sender.
  ///
  /// Of several that would, the newest. One of a bus that has been released, at the same address, has ended and
  /// excludes nothing.
  func token(
    of route: Route,
    sender: AnyObject?,
    from bus: EventBus,
    to center: NotificationCenter
  ) -> Token? {
    let key = Key(route: route, bus: ObjectIdentifier(bus), center: ObjectIdentifier(center))
    // Compared outside the lock, because that retains and releases the wanted senders.
    let entries = state.withLock { $0.entries[key] }
    return entries?.last { $0.filter.admits(sender) }?.token
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
