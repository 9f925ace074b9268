internal import EventBus

/// A step of a post, as it is kept: numbers only, so that the ring has a fixed size.
struct Entry: Sendable {
  /// The kind of a step, by its number on the page.
  enum Kind: UInt8, Sendable {
    case began, ended, queued, started, finished, failed, skipped
  }

  var kind: Kind
  /// The reason for a skip, by its number on the page.
  var reason: UInt8 = 0
  /// The number of the post.
  var post: Int
  /// The number of the post around it; zero at the top.
  var outer: Int
  /// Nanoseconds since the recording began.
  var time: Int64
  /// The index of the event's name.
  var name: UInt32
  /// The index of the site of the post.
  var site: UInt32
  /// The number of the registration; -1 for a step of the post itself.
  var registration: Int32 = -1
  /// The index of the site of the registration.
  var handler: UInt32 = 0
  /// The index of the actor or thread.
  var lane: UInt32
  /// True if the recorder keeps an error or a payload of the entry.
  var hasText = false
}

/// The place of a step: an actor, or a thread that runs code of no actor.
enum Lane: Hashable, Sendable {
  case actor(ObjectIdentifier)
  case thread(UInt)
}

extension Entry {
  /// The reasons for a skip, by the number on the page.
  static let reasons: [TraceStep.SkipReason] = [
    .declined, .ownerLost, .spent, .paused, .cancelled, .excluded, .tooNew, .dropped, .intercepted,
  ]
}
