internal import Synchronization

/// A post that is running on this thread, for traces and for the warning about deep recursion.
///
/// Kept only while somebody asks: a trace hook, or posts that seem to nest without end.
internal final class PostFrame: Sendable {
  /// The number of posts of one name that may nest before they are given frames.
  ///
  /// They are counted for all threads that share a cell, so that a warning has seen three times as many
  /// nest on one thread.
  internal static let mostUnwatched = 16

  @TaskLocal private static var innermost: PostFrame?

  /// The event's name.
  internal let name: String
  /// How many posts are around it.
  internal let depth: Int
  private let outer: PostFrame?
  private let hasEnded = Atomic<Bool>(false)

  private init(name: String, depth: Int, outer: PostFrame?) {
    self.name = name
    self.depth = depth
    self.outer = outer
  }

  /// The names from the outermost post that was watched to this one.
  internal var chain: [String] {
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
  internal static func run<Result>(
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
