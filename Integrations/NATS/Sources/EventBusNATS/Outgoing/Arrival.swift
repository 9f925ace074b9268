internal import EventBus
private import Synchronization

/// The post of a received event, which no bridge may send back.
///
/// The post calls the bridges' own observer first. The observer finds this object in a task-local value and uses it
/// up: an answer of the same name that a handler posts later in the same call is a separate event.
final class Arrival: Sendable {
  @TaskLocal static var current: Arrival?

  private let outlet: ObjectIdentifier
  /// The lane that already sends the event, while the others have to; `nil` means that no lane may send it.
  let lane: ObjectIdentifier?
  /// The object that receives the outcome of the post.
  private let local: LocalPost?
  private let isUsed = Atomic<Bool>(false)

  init(_ outlet: AnyOutlet, lane: AnyOutgoingLane? = nil, local: LocalPost? = nil) {
    self.outlet = ObjectIdentifier(outlet)
    self.lane = lane.map(ObjectIdentifier.init)
    self.local = local
  }

  /// Connects the post in delivery with the one that was announced to the lane.
  func bind(_ event: String, _ bus: EventBus) {
    guard let local, let post = PostFollower.current(event, bus) else { return }
    local.bind(to: post)
  }

  /// Whether the bridges' observer was called, and counts as one of the reached observers.
  var wasSeen: Bool { isUsed.load(ordering: .acquiring) }

  /// Returns whether a call of an observer is the one for this event; `true` once.
  func isSeen(by outlet: AnyOutlet) -> Bool {
    guard ObjectIdentifier(outlet) == self.outlet else { return false }
    return !isUsed.exchange(true, ordering: .acquiringAndReleasing)
  }
}
