internal import Synchronization

/// A post that is running on this thread, or whose queued event is being delivered, tracked for traces and
/// for the warning about deep recursion.
///
/// Posts are tracked only if hooks follow them or if they seem to nest without end.
final class RunningPost: Sendable {
  /// The maximum nesting depth assumed for untracked posts of one name.
  ///
  /// Posts are counted together for all threads that share a cell. The warning is therefore printed only
  /// after three times as many tracked posts nest on one thread.
  static let untrackedLimit = 16

  @TaskLocal private static var innermost: RunningPost?
  /// The number of the newest followed post of the process.
  private static let newest = Atomic<Int>(0)

  let name: String
  /// The number of the post, or of the nearest followed one around it.
  let number: Int?
  /// The number of the nearest followed post around it.
  let outerNumber: Int?
  /// The number of enclosing posts.
  let depth: Int
  private let outer: RunningPost?
  private let hasEnded = Atomic<Bool>(false)

  private init(
    name: String,
    number: Int? = nil,
    outerNumber: Int? = nil,
    depth: Int = 0,
    outer: RunningPost? = nil
  ) {
    (self.name, self.number, self.outerNumber) = (name, number, outerNumber)
    (self.depth, self.outer) = (depth, outer)
  }

  /// The names of the tracked posts, from the outermost to this one.
  var chain: [String] {
    sequence(first: self) { $0.outer }.map(\.name).reversed()
  }

  /// The post in which the caller runs.
  ///
  /// A task that a handler has started inherits a post that may have ended since.
  private static var current: RunningPost? {
    innermost.flatMap { $0.hasEnded.load(ordering: .acquiring) ? nil : $0 }
  }

  /// The number of the followed post in which the caller runs.
  static var currentNumber: Int? { current?.number }

  /// Runs a post.
  ///
  /// - Parameters:
  ///   - name: The string of the event's name.
  ///   - isFollowed: Whether hooks follow the post, which is then numbered.
  ///   - cause: The number of the post that enqueued the event.
  ///   - untracked: The number of enclosing posts to assume if none of them is tracked.
  ///   - body: The post.
  /// - Returns: The result of the post.
  static func run<Result>(
    _ name: String,
    isFollowed: Bool,
    cause: Int?,
    untracked: Int,
    _ body: (RunningPost) -> Result
  ) -> Result {
    let around = current
    let outerNumber = around?.number ?? cause
    let post = RunningPost(
      name: name,
      number: isFollowed ? newest.wrappingAdd(1, ordering: .relaxed).newValue : outerNumber,
      outerNumber: outerNumber,
      depth: around.map { $0.depth + 1 } ?? max(untracked, cause == nil ? 0 : 1),
      outer: around
    )
    defer { post.hasEnded.store(true, ordering: .releasing) }
    return $innermost.withValue(post) { body(post) }
  }

  /// The same post, while one of its queued events is delivered.
  ///
  /// It refers to no other post: events may cause each other forever.
  private func resumed() -> RunningPost { RunningPost(name: name, number: number) }

  /// Delivers a queued event of this post.
  func resume(_ body: () -> Void) {
    let post = resumed()
    Self.$innermost.withValue(post, operation: body)
    post.hasEnded.store(true, ordering: .releasing)
  }

  /// Delivers a queued event of this post to an asynchronous handler.
  func resumeAsync(_ body: () async -> Void) async {
    let post = resumed()
    await Self.$innermost.withValue(post, operation: body)
    post.hasEnded.store(true, ordering: .releasing)
  }
}
