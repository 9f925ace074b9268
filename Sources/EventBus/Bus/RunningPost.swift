internal import Synchronization

/// A post that hooks follow, while it is running on this thread or its queued event is being delivered.
final class RunningPost: Sendable {
  @TaskLocal private static var innermost: RunningPost?
  /// The number of the newest followed post of the process.
  private static let newest = Atomic<Int>(0)

  let name: String
  /// The number of the post.
  let number: Int
  /// The number of the followed post around it.
  let outerNumber: Int?
  /// The number of enclosing posts.
  let depth: Int
  private let hasEnded = Atomic<Bool>(false)

  private init(name: String, number: Int, outerNumber: Int? = nil, depth: Int = 0) {
    (self.name, self.number) = (name, number)
    (self.outerNumber, self.depth) = (outerNumber, depth)
  }

  /// The post in which the caller runs.
  ///
  /// A task that a handler has started inherits a post that may have ended since.
  private static var current: RunningPost? {
    innermost.flatMap { $0.hasEnded.load(ordering: .acquiring) ? nil : $0 }
  }

  /// The number of the followed post in which the caller runs.
  static var currentNumber: Int? { current?.number }

  /// Runs a post that hooks follow.
  ///
  /// - Parameters:
  ///   - name: The string of the event's name.
  ///   - cause: The number of the post that enqueued the event.
  ///   - body: The post.
  /// - Returns: The result of the post.
  static func run<Result>(
    _ name: String,
    cause: Int?,
    _ body: (RunningPost) -> Result
  ) -> Result {
    let around = current
    let post = RunningPost(
      name: name,
      number: newest.wrappingAdd(1, ordering: .relaxed).newValue,
      outerNumber: around?.number ?? cause,
      depth: around.map { $0.depth + 1 } ?? (cause == nil ? 0 : 1)
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
