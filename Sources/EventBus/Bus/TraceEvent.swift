internal import Synchronization

/// One step of a post, for whoever wants to see what a bus does.
///
/// Its description is one line, indented by the depth of the post.
public struct TraceEvent: Sendable, CustomStringConvertible {
  /// Why an observer was passed over.
  public enum SkipReason: String, Sendable {
    /// Its predicate said no.
    case declined
    /// Its owner has died.
    case ownerLost
    /// Its one call had been used.
    case spent
    /// It is paused.
    case paused
    /// It was cancelled while the event was on its way.
    case cancelled
    /// The poster excluded it.
    case excluded
    /// It was registered after the post began. Told last, just before the post ends.
    case tooNew
    /// The queue in front of it was full.
    case dropped
  }

  /// What happened.
  public enum Step: Sendable {
    /// A post begins.
    case began
    /// The handler registered there was called and returned.
    case called(SourceSite)
    /// The handler registered there was called and threw.
    case failed(SourceSite)
    /// The event waits in the queue of the handler registered there.
    case queued(SourceSite)
    /// The handler registered there was passed over.
    case skipped(SourceSite, SkipReason)
    /// The post has ended; so many handlers were reached.
    case ended(reached: Int)
  }

  /// The event's name, or the label of a signal.
  public let name: String
  /// Where it was posted.
  public let site: SourceSite
  /// How many posts are around it on this thread: zero for the outermost.
  public let depth: Int
  /// What happened.
  public let step: Step

  /// Describes a step.
  public init(name: String, site: SourceSite, depth: Int, step: Step) {
    self.name = name
    self.site = site
    self.depth = depth
    self.step = step
  }

  /// One line.
  public var description: String {
    let indent = String(repeating: "  ", count: depth)
    switch step {
    case .began: return "\(indent)\(name) posted at \(site)"
    case .called(let there): return "\(indent)  called \(there)"
    case .failed(let there): return "\(indent)  failed \(there)"
    case .queued(let there): return "\(indent)  queued \(there)"
    case .skipped(let there, let reason): return "\(indent)  skipped \(there): \(reason.rawValue)"
    case .ended(let reached): return "\(indent)\(name) reached \(reached)"
    }
  }
}

extension TraceEvent.Step {
  /// What a reception means for the observer registered at a place.
  init(_ reception: Reception, at site: SourceSite) {
    switch reception {
    case .called: self = .called(site)
    case .failed: self = .failed(site)
    case .queued: self = .queued(site)
    case .ownerLost: self = .skipped(site, .ownerLost)
    case .spent: self = .skipped(site, .spent)
    case .paused: self = .skipped(site, .paused)
    case .cancelled: self = .skipped(site, .cancelled)
    case .excluded: self = .skipped(site, .excluded)
    case .tooNew: self = .skipped(site, .tooNew)
    case .dropped: self = .skipped(site, .dropped)
    default: self = .skipped(site, .declined)
    }
  }
}

extension SourceSite {
  /// Where an observer was registered.
  init(_ observer: AnyObserver) {
    self.init(fileID: observer.fileID, line: observer.line)
  }

  /// Where an event was posted.
  init(_ delivery: Delivery) {
    self.init(fileID: "\(delivery.fileID)", line: delivery.line)
  }
}

/// A post that is running on this thread, for traces and for the warning about deep recursion.
///
/// Kept only while somebody asks: a trace hook, or posts that seem to nest without end.
final class PostFrame: Sendable {
  /// The number of posts of one name that may nest before they are given frames.
  ///
  /// They are counted for all threads that share a cell, so that a warning has seen three times as many
  /// nest on one thread.
  static let mostUnwatched = 16

  @TaskLocal private static var innermost: PostFrame?

  /// The event's name.
  let name: String
  /// How many posts are around it.
  let depth: Int
  private let outer: PostFrame?
  private let hasEnded = Atomic<Bool>(false)

  private init(name: String, depth: Int, outer: PostFrame?) {
    self.name = name
    self.depth = depth
    self.outer = outer
  }

  /// The names from the outermost post that was watched to this one.
  var chain: [String] {
    var names: [String] = []
    var frame: PostFrame? = self
    while let current = frame {
      names.append(current.name)
      frame = current.outer
    }
    return names.reversed()
  }

  /// Runs a post in a frame of its own.
  ///
  /// - Parameters:
  ///   - name: The event's name.
  ///   - unwatched: How many posts are around it at least, if none of them has a frame.
  ///   - body: The post.
  /// - Returns: What the post returns.
  static func run<Result>(
    _ name: String,
    unwatched: Int,
    _ body: (PostFrame) -> Result
  ) -> Result {
    // A task that a handler has started inherits the frame of a post that has ended since.
    let around = innermost.flatMap { $0.hasEnded.load(ordering: .acquiring) ? nil : $0 }
    let frame = PostFrame(
      name: name,
      depth: around.map { $0.depth + 1 } ?? unwatched,
      outer: around
    )
    defer { frame.hasEnded.store(true, ordering: .releasing) }
    return $innermost.withValue(frame) { body(frame) }
  }
}
