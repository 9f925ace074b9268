/// A step of a post, as reported to the trace hook.
///
/// A post begins and ends. In between, or after that for queued events, each of its deliveries is
/// queued, started and finished, or skipped. The posts, registrations and times of the steps make a
/// timeline.
///
/// The description is one line, indented by the nesting depth of the post, with control characters escaped.
public struct TraceStep: Sendable, CustomStringConvertible {
  /// The reason for skipping an observer.
  public enum SkipReason: String, Sendable {
    /// The predicate of the observer returned `false`.
    case declined
    /// The owner of the observer has died, or its lifetime has ended.
    case ownerLost
    /// The observer asked for one call, which had already begun.
    case spent
    /// The observer is paused.
    case paused
    /// The registration was cancelled while the event was being delivered.
    case cancelled
    /// The event came over a bridge, and the registration is that of the bridge.
    case excluded
    /// The registration was made after the post began; reported last, just before the post ends.
    case tooNew
    /// The queue of the observer was full.
    ///
    /// An event that was queued may be dropped later, by one that replaces it.
    case dropped
    /// An interceptor did not run the call.
    case intercepted
  }

  /// The kind of a step.
  public enum Kind: Sendable {
    /// The post begins.
    case began
    /// The post has ended, with the number of handlers that it reached.
    case ended(reached: Int)
    /// The event waits: for the handler's actor, for the task of an asynchronous handler, or for the
    /// consumer of a stream.
    case queued
    /// The handler is about to be called, or a consumer takes the event from its stream.
    ///
    /// Followed by ``finished(_:)``; or by ``skipped(_:)`` if the owner turns out to have died, or if the
    /// hook that receives this step ends the registration.
    case started
    /// The handler has returned, or has thrown an error.
    ///
    /// For a stream, this follows ``started`` at once, because a consumer does not report when it has
    /// finished with the event. Both are reported on the thread that hands the event over: that of the
    /// consumer, or that of the post if the consumer was waiting. An event that no consumer takes is skipped
    /// as ``SkipReason/cancelled`` when the stream is released.
    case finished((any Error)?)
    /// The handler was not called, for a reason.
    case skipped(SkipReason)
  }

  /// The bus of a post.
  public struct Bus: Hashable, Sendable {
    /// The label of the bus, or of a signal without a bus.
    public let label: String
    /// The identity of the bus, or of a signal without a bus.
    public let id: ObjectIdentifier

    package init(label: String, id: ObjectIdentifier) {
      self.label = label
      self.id = id
    }
  }

  /// The registration of a handler.
  public struct Registration: Hashable, Identifiable, Sendable {
    /// The number of the registration among all registrations of the bus, in order.
    public let id: Int
    /// The source site of the registration.
    public let site: SourceSite

    package init(id: Int, site: SourceSite) {
      self.id = id
      self.site = site
    }
  }

  /// The bus.
  public let bus: Bus
  /// The number of the post, which is unique in the process.
  public let post: Int
  /// The number of the enclosing post: the one whose handler posted or enqueued the event; `nil` if there is
  /// none.
  ///
  /// For a handler that runs later, on its actor or asynchronously, this is the post that queued its
  /// event, although it has returned. Posts that were not traced are left out.
  public let outerPost: Int?
  /// The string of the event's name, or the label of a signal.
  public let name: String
  /// The source site of the post.
  public let site: SourceSite
  /// The number of enclosing posts that hooks follow, including those around a task that a handler has started;
  /// zero for the outermost post.
  ///
  /// A post ends when it returns, and encloses no later one. The handler of a queued event, or an asynchronous
  /// handler, runs after that, so what it posts has depth 1.
  public let depth: Int
  /// The registration that the step concerns; `nil` for the beginning and the end of a post.
  public let registration: Registration?
  /// The actor on which the step takes place, if it is known.
  public let actor: ActorIdentity?
  /// An identifier of the thread that reports the step; a later thread may have the same.
  public let thread: UInt
  /// The time of the step.
  public let time: ContinuousClock.Instant
  /// The kind of the step.
  public let kind: Kind

  package init(
    bus: Bus,
    post: Int,
    outerPost: Int? = nil,
    name: String,
    site: SourceSite,
    depth: Int = 0,
    registration: Registration? = nil,
    actor: ActorIdentity? = nil,
    thread: UInt = 0,
    time: ContinuousClock.Instant = .now,
    kind: Kind
  ) {
    (self.bus, self.post, self.outerPost, self.name) = (bus, post, outerPost, name)
    (self.site, self.depth, self.registration) = (site, depth, registration)
    (self.actor, self.thread, self.time, self.kind) = (actor, thread, time, kind)
  }

  /// A line that describes the step, beginning with the number of the post.
  public var description: String {
    let receiver = registration.map { " \($0.site)" } ?? ""
    let text =
      switch kind {
      case .began: "\(name) posted at \(site)"
      case .ended(let reached): "\(name) reached \(reached)"
      case .queued: "  queued\(receiver)"
      case .started: "  started\(receiver)"
      case .finished(nil): "  finished\(receiver)"
      case .finished(let error?): "  failed\(receiver): \(error)"
      case .skipped(let reason): "  skipped\(receiver): \(reason.rawValue)"
      }
    return "#\(post) " + String(repeating: "  ", count: depth) + text.onOneLine
  }
}
