/// One subject's part in a row.
public struct Entry: Sendable {
  /// Runs the work a number of times and returns the figure for one time, in the row's unit.
  ///
  /// Called on the main actor.
  public typealias Sample = @MainActor (_ iterations: Int) async -> Double

  /// Whose part it is.
  public let subject: Subject
  /// Sets the stage, off the clock, and returns the work, which keeps the stage.
  internal let prepare: @Sendable () -> Sample

  /// An entry that measures for itself.
  ///
  /// - Parameters:
  ///   - subject: Whose part it is.
  ///   - prepare: Sets the stage and returns the work.
  public init(_ subject: Subject, prepare: @escaping @Sendable () -> Sample) {
    self.subject = subject
    self.prepare = prepare
  }

  /// An entry whose figure is time.
  ///
  /// - Parameters:
  ///   - subject: Whose part it is.
  ///   - prepare: Sets the stage and returns the work, which loops by itself so that the harness
  ///     adds nothing to one iteration.
  /// - Returns: The entry.
  public static func timed(
    _ subject: Subject,
    prepare: @escaping @Sendable () -> (_ iterations: Int) -> Void
  ) -> Entry {
    Entry(subject) {
      let work = prepare()
      return { iterations in
        nanoseconds { runMeasured(work, iterations) } / Double(iterations)
      }
    }
  }
}

/// The one frame in which timed work runs, so that a profiler can be told to look at nothing else.
@inline(never)
private func runMeasured(_ work: (Int) -> Void, _ iterations: Int) {
  work(iterations)
}
