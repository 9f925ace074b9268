internal import EventBus
internal import Foundation

/// The buses and centers to which mirrors have brought an event, so that they bring it nowhere twice.
///
/// Notifications carry it in their `userInfo`. On a bus it waits in a ``Passage``, because events have nothing
/// to carry it in.
///
/// ## Thread safety
///
/// Every member may be called from any thread.
final class Journey: Sendable {
  /// The key in `userInfo`.
  static let key = "EventBus.NotificationCenterBridge.journey"

  /// The name of the event or of the notification at a stop.
  enum Name: Hashable, Sendable {
    case event(AnyEventName)
    case notification(Notification.Name)
  }

  private struct Stop: Sendable {
    let place: WeakObject
    let name: Name
  }

  private let stops = Locked<[Stop]>([])

  /// Returns whether the event has been at a bus or a center.
  func hasVisited(_ place: AnyObject, as name: Name) -> Bool {
    // Compared outside the lock, because that retains and releases the places.
    stops.withLock { $0 }.contains { $0.name == name && $0.place.value === place }
  }

  /// Notes that the event is at a bus or a center.
  ///
  /// - Returns: `false` if it has been there before.
  @discardableResult
  func visit(_ place: AnyObject, as name: Name) -> Bool {
    if hasVisited(place, as: name) { return false }
    let stop = Stop(place: WeakObject(place), name: name)
    stops.withLock { $0.append(stop) }
    return true
  }
}

/// A post by a mirror, on its way to the mirrors that lead on from the bus.
///
/// Those are called before all other handlers, since their priority is the highest. So the first call of each
/// during the post belongs to it, and a later one to an answer, which begins its own journey.
///
/// ## Thread safety
///
/// Every member may be called from any thread. A task that a handler starts inherits the passage, which has
/// ended by then.
final class Passage: Sendable {
  @TaskLocal private static var current: Passage?

  private let journey: Journey
  /// The numbers of the mirrors that have not been called.
  private let expected: Locked<Set<UInt>>

  private init(_ journey: Journey, _ mirrors: [Mirror]) {
    self.journey = journey
    expected = Locked(Set(mirrors.map(\.number)))
  }

  /// Runs a post that continues a journey.
  static func run(_ journey: Journey, to mirrors: [Mirror], _ post: () -> Void) {
    if mirrors.isEmpty { return OpenPosts.enter(post) }
    let passage = Passage(journey, mirrors)
    OpenPosts.enter { $current.withValue(passage, operation: post) }
    passage.expected.withLock { $0 = [] }
  }

  /// Runs code whose posts begin separate journeys.
  static func leave(_ body: () -> Void) {
    OpenPosts.enter { $current.withValue(nil, operation: body) }
  }

  /// Returns the journey of the post that calls a mirror, if the post continues one.
  static func journey(by mirror: Mirror) -> Journey? {
    let number = mirror.number
    guard let current, current.expected.withLock({ $0.remove(number) }) != nil else { return nil }
    return current.journey
  }
}
