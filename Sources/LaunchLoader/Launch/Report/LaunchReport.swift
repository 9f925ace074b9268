public import EventBus

/// The result of a launch: the start, the duration and the outcome of each piece of work.
///
/// ```swift
/// let report = try await LaunchLoader.shared.launch()
/// print(report)  // a bar chart of 80 columns
/// ```
///
/// ## Thread safety
///
/// An immutable value that may be read on any thread.
public struct LaunchReport: Sendable {
  /// The registrations that took part in the launch, in order of registration, including refused
  /// duplicates.
  ///
  /// Registrations that were cancelled before they began are absent, and so is work of the phase `idle`
  /// that had not ended, because it follows the launch.
  ///
  /// - Complexity: O(*n*) the first time, O(1) after that.
  public var entries: [Entry] { record.entries }

  /// The duration of the launch, from its beginning to the end of the last worker.
  public let total: Duration

  /// The faults in the dependencies: errors with the codes `cycle`, `unknown` and `mismatch`.
  public let problems: [LaunchError]

  private let record: LaunchRecord

  /// Creates a report whose entries are made on first access.
  init(total: Duration, problems: [LaunchError], _ entries: @escaping @Sendable () -> [Entry]) {
    record = LaunchRecord(entries)
    self.total = total
    self.problems = problems
  }

  /// The entries of work that threw or timed out, in order of registration.
  ///
  /// - Complexity: O(*n*) in the number of entries.
  public var failures: [Entry] { entries.filter(\.outcome.isFailure) }

  /// The work that timed out and had not returned when the report was made.
  ///
  /// Asynchronous work that had begun was cancelled and may still be running. Work that waited for its
  /// actor never runs. Synchronous work that had begun is never abandoned, because the launch waits for
  /// it.
  ///
  /// - Complexity: O(*n*) in the number of entries.
  public var abandoned: [LaunchID] { entries.filter(\.isAbandoned).map(\.id) }

  /// The chain of work that determined the duration of the launch, in order.
  ///
  /// The chain ends with the work that ended last. Each element is preceded by the work that it waited
  /// for the longest: a dependency, a worker of an earlier phase, or a synchronous worker, which delays
  /// all work after it. Only making an element of this chain shorter, or running it elsewhere, makes
  /// the launch shorter. Waits because `width` workers were already running are not considered.
  ///
  /// - Complexity: O(*n* log *n*) in the number of entries.
  public var criticalPath: [LaunchID] {
    let entries = entries
    return entries.criticalPath.map { entries[$0].id }
  }
}

extension LaunchReport {
  /// A piece of work in a report.
  public struct Entry: Sendable {
    let name: LaunchID?
    let number: Int
    let launchSite: LaunchSite
    /// The phase in which it ran or would have run.
    public let phase: LaunchPhase
    /// The time at which it began, relative to the beginning of the launch; zero if it did not run.
    public let start: Duration
    /// The time that it took; zero if it did not run.
    public let duration: Duration
    /// The outcome of the work.
    public let outcome: LaunchOutcome
    /// Its number in the order in which workers began, from one; `nil` if it did not run.
    package let turn: Int?
    /// True if nothing else began while it ran.
    let isSynchronous: Bool
    /// The names of its dependencies, required and optional.
    let dependencies: [LaunchID]
    /// True if it timed out and had not returned.
    package let isAbandoned: Bool

    /// The name of the work.
    ///
    /// - Complexity: O(1). The name of unnamed work is made on each access.
    public var id: LaunchID { name ?? LaunchID(launchSite, number: number) }

    /// The source site of the registration.
    public var site: SourceSite { launchSite.source }

    /// The time at which it ended.
    package var end: Duration { start + duration }

    /// Compares entries by their end and, if they ended at the same time, by their turn.
    static func endsBefore(_ left: Entry, _ right: Entry) -> Bool {
      (left.end, left.turn ?? 0) < (right.end, right.turn ?? 0)
    }
  }
}

extension [LaunchReport.Entry] {
  /// The indices of the entries on the critical path, in order.
  fileprivate var criticalPath: [Int] {
    func turn(_ index: Int) -> Int { self[index].turn ?? 0 }
    func endsBefore(_ left: Int, _ right: Int) -> Bool {
      LaunchReport.Entry.endsBefore(self[left], self[right])
    }
    let ran = indices.filter { self[$0].turn != nil }
    // The order in which synchronous entries began is also the order in which they ended.
    let synchronous = ran.filter { self[$0].isSynchronous }.ordered { turn($0) < turn($1) }
    let hasDependencies = contains { !$0.dependencies.isEmpty }
    let named = Dictionary(hasDependencies ? ran.map { (self[$0].id, $0) } : []) { first, _ in first
    }
    let lasts = LaunchPhase.allCases.map { phase in
      ran.filter { self[$0].phase == phase }.max(by: endsBefore)
    }
    var path: [Int] = []
    var next = ran.max(by: endsBefore)
    while let last = next {
      path.append(last)
      let entry = self[last]
      let place = synchronous.indices.partitionPoint { turn(synchronous[$0]) < turn(last) }
      let candidates =
        entry.dependencies.map { named[$0] } + lasts.prefix(entry.phase.index)
        + [place > 0 ? synchronous[place - 1] : nil]
      next = candidates.compactMap(\.self)
        .filter { turn($0) < turn(last) && self[$0].end <= entry.start }
        .max(by: endsBefore)
    }
    return path.reversed()
  }
}

extension LaunchReport {
  /// The work of a chain of dependencies, in order, and its duration.
  package typealias Chain = (entries: [Entry], duration: Duration)

  /// The chain of dependencies that took longest; `nil` if no work waited for other work, if work without
  /// dependencies took longer, or if the chain took less than half of the launch.
  ///
  /// Only making an element of it shorter makes the launch shorter than the duration of the chain, however
  /// much else runs at the same time. Unlike ``criticalPath``, it leaves out work that ran before other
  /// work only because both are synchronous.
  ///
  /// - Complexity: O(*n* log *n* + *e*) in the numbers of entries and of dependencies.
  package var longestChain: Chain? {
    let ran = entries.filter { $0.turn != nil }.ordered { ($0.turn ?? 0) < ($1.turn ?? 0) }
    var indices: [LaunchID: Int] = [:]
    // The duration of the longest chain that ends with each entry, and the entry before it in that chain.
    var best: [(duration: Duration, previous: Int?)] = []
    for (index, entry) in ran.enumerated() {
      let previous = entry.dependencies.compactMap { indices[$0] }
        .filter { ran[$0].end <= entry.start }
        .max { (best[$0].duration, $1) < (best[$1].duration, $0) }
      best.append(((previous.map { best[$0].duration } ?? .zero) + entry.duration, previous))
      if indices[entry.id] == nil { indices[entry.id] = index }
    }
    let last = best.indices.max { (best[$0].duration, $1) < (best[$1].duration, $0) }
    guard let last, best[last].previous != nil, best[last].duration > .zero,
      best[last].duration >= total / 2
    else { return nil }
    let indicesInReverse = sequence(first: last) { best[$0].previous }
    return (indicesInReverse.map { ran[$0] }.reversed(), best[last].duration)
  }
}

/// The contents of a report, made on first access.
///
/// ## Thread safety
///
/// All members may be called from any thread.
private final class LaunchRecord: Sendable {
  private struct State: ~Copyable {
    var entries: [LaunchReport.Entry]?
    var make: (@Sendable () -> [LaunchReport.Entry])?
  }

  private let state: Locked<State>

  /// Creates the contents of a report.
  ///
  /// - Parameter make: Makes the entries, once or, if several threads read them at first, more than once.
  init(_ make: @escaping @Sendable () -> [LaunchReport.Entry]) { state = Locked(State(make: make)) }

  /// The entries of the work that has ended.
  var entries: [LaunchReport.Entry] {
    let (known, make) = state.withLock { ($0.entries, $0.make) }
    if let known { return known }
    let made = make?() ?? []
    return state.withLock { state in
      let entries = state.entries ?? made
      state.entries = entries
      state.make = nil  // Releases nothing yet: `make` still has the rows.
      return entries
    }
  }
}

/// The outcome of a piece of launch work.
///
/// Future versions may add cases: include a `default` in each `switch`.
public enum LaunchOutcome: Sendable {
  /// It ran and returned.
  case finished
  /// It ran and threw an error; or, registered after the launch, it needs a value of another type, and did
  /// not run.
  case failed(any Error)
  /// It did not run. The associated name is that of the work responsible: a dependency that is missing
  /// or did not finish, or work whose failure stopped the launch. The name is `nil` if the condition
  /// did not hold, if the work or its launch was cancelled or the launch exceeded its time limit, or if
  /// the loader was destroyed before it launched.
  case skipped(because: LaunchID?)
  /// It exceeded its time limit.
  ///
  /// An asynchronous worker was cancelled, and the launch continued without it; the worker may still be
  /// running if it ignores cancellation. A synchronous worker cannot be interrupted: it completed, but
  /// too late. A closure that was still waiting for its actor never runs: the report has no start and no
  /// duration of it.
  case timedOut
  /// It ran, and was undone after another worker failed; or the value that it made was released, because
  /// it was made from a value that was undone.
  case undone
  /// It did not run, because work with this name was already registered.
  case duplicate(of: LaunchID)
  /// It did not run, because its loader was stopped.
  case refused
}

extension LaunchOutcome {
  /// True if dependants may run.
  var isFinished: Bool {
    if case .finished = self { true } else { false }
  }

  /// True if the work threw because it was cancelled, or because the program stops.
  var isCancellation: Bool {
    if case .failed(let error) = self { error.isOfEndedWait } else { false }
  }

  /// True if the work itself failed.
  package var isFailure: Bool {
    switch self {
    case .failed, .timedOut: true
    case .finished, .skipped, .undone, .duplicate, .refused: false
    }
  }
}

extension LaunchOutcome: CustomStringConvertible {
  /// A short text: the outcome with its error or name.
  public var description: String {
    switch self {
    case .finished: "finished"
    case .failed(let error): "failed: \(error)"
    case .skipped(nil): "skipped"
    case .skipped(let id?): "skipped because of \(id)"
    case .timedOut: "timed out"
    case .undone: "undone"
    case .duplicate(let id): "duplicate of \(id)"
    case .refused: "refused"
    }
  }
}
