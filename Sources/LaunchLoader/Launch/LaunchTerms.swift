/// The name of a piece of launch work.
///
/// A loader keeps the first registration of each name and remembers the names, so names are constants:
/// do not make them up at run time. Work that is registered without a name is called after its place in
/// the source, `Module/File.swift:12#1`; the number counts the registrations of that line.
public struct LaunchID: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
  /// The name as text.
  public let rawValue: String

  /// Creates a name.
  ///
  /// - Parameter rawValue: The text of the name. Names with the same text are the same.
  public init(_ rawValue: String) {
    self.rawValue = rawValue
  }

  /// Creates a name from a literal.
  ///
  /// - Parameter value: The text of the name.
  public init(stringLiteral value: String) {
    self.init(value)
  }

  /// The name as text.
  public var description: String { rawValue }
}

/// When in a launch a piece of work has its turn.
///
/// Phases follow one another: nothing of a phase begins before everything of the phase before it has
/// ended. A dependency beats its phase: work that an earlier phase depends on runs in that phase.
public enum LaunchPhase: Comparable, CaseIterable, Sendable {
  /// Before everything else: crash reporting, logging.
  case early
  /// What is not said otherwise.
  case standard
  /// After the usual work, and still part of the launch.
  case late
  /// After the launch, in a task of low priority: nobody waits for it, and the report is made without it.
  case idle
}

extension LaunchPhase {
  /// How many phases come before it.
  var index: Int {
    switch self {
    case .early: 0
    case .standard: 1
    case .late: 2
    case .idle: 3
    }
  }
}

extension LaunchPhase: CustomStringConvertible {
  /// The name of the phase.
  public var description: String {
    switch self {
    case .early: "early"
    case .standard: "standard"
    case .late: "late"
    case .idle: "idle"
    }
  }
}

/// What a launch does when one of its workers fails: throws, takes too long, or cannot be ordered.
///
/// Work of the phase `idle` belongs to no launch: its failures reach only its dependants.
public enum FailurePolicy: Sendable {
  /// Goes on: only what depends on the worker is skipped.
  ///
  /// Of a cycle, and of what needs a missing worker, the same: those and their dependants are skipped.
  case `continue`
  /// Begins nothing more, cancels what runs, waits for its end, and throws.
  ///
  /// If the dependencies cannot be met, nothing runs at all.
  case stop
  /// Stops, and then undoes the finished workers that are types, in reverse order of their completion.
  ///
  /// One after another, each in a task that is not cancelled, also if the launch is: half of a rollback would be
  /// worse than none. Each has as much time as the `timeout` of the loader allows for the whole launch; without one
  /// the launch waits for it as long as it takes. A closure has no way back: it stays finished.
  case rollback
}

/// What a registration asks of its launch.
package struct LaunchTerms: Sendable {
  /// The work that has to have finished first.
  package var after: [LaunchID]
  /// The work that has to have ended first, if there is any of that name.
  package var afterIfPresent: [LaunchID]
  /// The phase.
  package var phase: LaunchPhase
  /// How long the work may take; `nil` for as long as it likes.
  package var timeout: Duration?

  /// Asks for something.
  package init(
    after: [LaunchID] = [],
    afterIfPresent: [LaunchID] = [],
    phase: LaunchPhase = .standard,
    timeout: Duration? = nil
  ) {
    self.after = after
    self.afterIfPresent = afterIfPresent
    self.phase = phase
    self.timeout = timeout
  }

  /// Whether the work may have to wait for other work.
  package var hasDependencies: Bool { !after.isEmpty || !afterIfPresent.isEmpty }
}

/// Whether work is to run at all, asked when its turn comes.
package struct LaunchCondition: Sendable {
  /// The question.
  package let holds: @Sendable (LaunchOptions) -> Bool

  /// Keeps a question.
  package init(holds: @escaping @Sendable (LaunchOptions) -> Bool) { self.holds = holds }
}
