internal import Synchronization

/// A step of a post, as reported to the trace hook.
///
/// The description is one line, indented by the nesting depth of the post.
public struct TraceEvent: Sendable, CustomStringConvertible {
  /// The reason for skipping an observer.
  public enum SkipReason: String, Sendable {
    /// The predicate of the observer returned `false`.
    case declined
    /// The owner of the observer has died.
    case ownerLost
    /// The observer asked for one call, which had already begun.
    case spent
    /// The observer is paused.
    case paused
    /// The registration was cancelled while the event was being delivered.
    case cancelled
    /// The poster excluded the registration.
    case excluded
    /// The registration was made after the post began; reported last, just before the post ends.
    case tooNew
    /// The queue of the observer was full.
    case dropped
  }

  /// The kind of a step.
  public enum Step: Sendable {
    /// The post begins.
    case began
    /// The handler registered at the source site was called and returned.
    case called(SourceSite)
    /// The handler registered at the source site was called and threw.
    case failed(SourceSite)
    /// The event was queued for the handler registered at the source site.
    case queued(SourceSite)
    /// The handler registered at the source site was skipped.
    case skipped(SourceSite, SkipReason)
    /// The post has ended, with the number of handlers that it reached.
    case ended(reached: Int)
  }

  /// The string of the event's name, or the label of a signal.
  public let name: String
  /// The source site of the post.
  public let site: SourceSite
  /// The number of enclosing posts on this thread; zero for the outermost post.
  public let depth: Int
  /// The kind of the step.
  public let step: Step

  /// Creates a description of a step.
  public init(name: String, site: SourceSite, depth: Int, step: Step) {
    self.name = name
    self.site = site
    self.depth = depth
    self.step = step
  }

  /// A line that describes the step.
  public var description: String {
    let indent = String(repeating: "  ", count: depth)
    switch step {
    case .began: return "\(indent)\(name) posted at \(site)"
    case .called(let site): return "\(indent)  called \(site)"
    case .failed(let site): return "\(indent)  failed \(site)"
    case .queued(let site): return "\(indent)  queued \(site)"
    case .skipped(let site, let reason): return "\(indent)  skipped \(site): \(reason.rawValue)"
    case .ended(let reached): return "\(indent)\(name) reached \(reached)"
    }
  }
}

extension TraceEvent.Step {
  /// Creates the step for the outcome of an event at the observer that was registered at a source site.
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
  /// Creates the source site of a registration.
  init(_ observer: AnyObserver) {
    self.init(fileID: observer.fileID, line: observer.line)
  }

  /// Creates the source site of a post.
  init(_ delivery: Delivery) {
    self.init(fileID: "\(delivery.fileID)", line: delivery.line)
  }
}

/// A post that is running on this thread, tracked for traces and for the warning about deep recursion.
///
/// Posts are tracked only if there is a trace hook or if they seem to nest without end.
final class PostFrame: Sendable {
  /// The maximum nesting depth assumed for untracked posts of one name.
  ///
  /// Posts are counted together for all threads that share a cell. The warning is therefore printed only
  /// after three times as many tracked posts nest on one thread.
  static let untrackedLimit = 16

  @TaskLocal private static var innermost: PostFrame?

  let name: String
  /// The number of enclosing posts.
  let depth: Int
  private let outer: PostFrame?
  private let hasEnded = Atomic<Bool>(false)

  private init(name: String, depth: Int, outer: PostFrame?) {
    self.name = name
    self.depth = depth
    self.outer = outer
  }

  /// The names of the tracked posts, from the outermost to this one.
  var chain: [String] {
    sequence(first: self) { $0.outer }.map(\.name).reversed()
  }

  /// Runs a post in a frame of its own.
  ///
  /// - Parameters:
  ///   - name: The string of the event's name.
  ///   - untracked: The number of enclosing posts to assume if none of them is tracked.
  ///   - body: The post.
  /// - Returns: The result of the post.
  static func run<Result>(
    _ name: String,
    untracked: Int,
    _ body: (PostFrame) -> Result
  ) -> Result {
    // A task that a handler has started inherits the frame of a post that may have ended since.
    let around = innermost.flatMap { $0.hasEnded.load(ordering: .acquiring) ? nil : $0 }
    let frame = PostFrame(
      name: name,
      depth: around.map { $0.depth + 1 } ?? untracked,
      outer: around
    )
    defer { frame.hasEnded.store(true, ordering: .releasing) }
    return $innermost.withValue(frame) { body(frame) }
  }
}
