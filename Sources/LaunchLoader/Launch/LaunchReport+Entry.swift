public import EventBus

extension LaunchReport {
  /// One piece of work in a report.
  public struct Entry: Sendable {
    private let name: LaunchID?
    private let number: Int
    internal let place: LaunchSite
    /// The phase in which it ran or would have run.
    public let phase: LaunchPhase
    /// When it began, counted from the beginning of the launch; zero if it did not run.
    public let start: Duration
    /// How long it took; zero if it did not run.
    public let duration: Duration
    /// How it ended.
    public let outcome: LaunchOutcome
    /// How many began before it; `nil` if it did not run.
    internal let turn: Int?
    /// Whether nothing else began while it ran.
    internal let isSynchronous: Bool
    /// What it was to come after.
    internal let dependencies: [LaunchID]
    /// Whether it timed out and had not returned.
    internal let isAbandoned: Bool

    /// Creates an entry.
    package init(
      id: LaunchID,
      fileID: StaticString = "App/File.swift",
      line: UInt = 1,
      phase: LaunchPhase = .standard,
      turn: Int? = nil,
      start: Duration = .zero,
      duration: Duration = .zero,
      isSynchronous: Bool = true,
      dependencies: [LaunchID] = [],
      isAbandoned: Bool = false,
      outcome: LaunchOutcome = .finished
    ) {
      name = id
      number = 0
      place = LaunchSite(fileID: fileID, line: line)
      self.phase = phase
      self.turn = turn
      self.start = start
      self.duration = duration
      self.outcome = outcome
      self.isSynchronous = isSynchronous
      self.dependencies = dependencies
      self.isAbandoned = isAbandoned
    }

    /// Makes an entry of a row, if that has ended.
    internal init?(_ row: LaunchRow) {
      guard let outcome = row.outcome else { return nil }
      let registration = row.registration
      name = registration.id
      number = row.number
      place = registration.site
      phase = row.phase
      turn = row.turn
      start = row.times?.start ?? .zero
      duration = row.times?.duration ?? .zero
      self.outcome = outcome
      isSynchronous = registration.kind != .asynchronous
      let terms = registration.terms
      dependencies = terms.hasDependencies ? terms.after + terms.afterIfPresent : []
      isAbandoned = row.isAbandoned
    }

    /// The name of the work.
    ///
    /// - Complexity: O(1); the name of nameless work is made by every call.
    public var id: LaunchID { name ?? LaunchID(place, number: number) }

    /// The file of its registration, as `Module/File.swift`.
    public var fileID: String { place.fileID.description }

    /// The line of its registration.
    public var line: UInt { place.line }

    /// The file and line of its registration.
    public var site: SourceSite { place.source }

    /// When it ended.
    internal var end: Duration { start + duration }
  }
}
