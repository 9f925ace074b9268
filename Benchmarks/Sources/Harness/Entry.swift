/// One subject's part in a row.
public struct Entry: Sendable {
  /// Runs the work a number of times and returns the figure for one time, in the row's unit.
  ///
  /// Called on the main actor.
  public typealias Sample = @MainActor (_ iterations: Int) async -> Double

  /// The subject.
  public let subject: Subject
  /// Prepares the work, which is not timed, and returns it.
  internal let prepare: @Sendable () -> Sample

  /// An entry that measures for itself.
  ///
  /// - Parameters:
  ///   - subject: The subject.
  ///   - prepare: Prepares the work and returns it.
  public init(_ subject: Subject, prepare: @escaping @Sendable () -> Sample) {
    self.subject = subject
    self.prepare = prepare
  }

  /// An entry whose figure is time.
  ///
  /// - Parameters:
  ///   - subject: The subject.
  ///   - prepare: Prepares the work and returns it; the work loops by itself so that the harness
  ///     adds nothing to one iteration.
  /// - Returns: The entry.
  public static func timed(
    _ subject: Subject,
    prepare: @escaping @Sendable () -> (_ iterations: Int) -> Void
  ) -> Entry {
    Entry(subject) {
      let work = prepare()
      return { iterations in
        nanoseconds { work(iterations) } / Double(iterations)
      }
    }
  }
}
