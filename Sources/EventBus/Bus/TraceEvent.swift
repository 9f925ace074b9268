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
