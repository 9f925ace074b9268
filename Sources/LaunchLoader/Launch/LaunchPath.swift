/// The critical path of a launch: who held up whom, read from when they began and ended.
internal struct LaunchPath {
  private let entries: [LaunchReport.Entry]
  /// Those that ran, synchronously, in the order in which they began, which is that in which they ended.
  private let synchronous: [Int]
  /// By phase, the one that ended last in it.
  private var lasts: [Int?] = Array(repeating: nil, count: LaunchPhase.allCases.count)
  private let named: [LaunchID: Int]

  /// The places of the entries on the path, the first first.
  internal private(set) var places: [Int] = []

  /// Finds the path.
  internal init(_ entries: [LaunchReport.Entry]) {
    self.entries = entries
    let ran = entries.indices.filter { entries[$0].turn != nil }
    synchronous = ran.filter { entries[$0].isSynchronous }
      .sorted { (entries[$0].turn ?? 0) < (entries[$1].turn ?? 0) }
    named =
      entries.contains { !$0.dependencies.isEmpty }
      ? Dictionary(ran.map { (entries[$0].id, $0) }) { first, _ in first } : [:]
    for place in ran {
      let phase = entries[place].phase.index
      lasts[phase] = lasts[phase].map { isLater(place, $0) ? place : $0 } ?? place
    }
    var next = ran.max { isLater($1, $0) }
    while let place = next {
      places.append(place)
      next = predecessor(of: place)
    }
    places.reverse()
  }

  /// Whether one ended after another; of two that ended at once, whether it began after it.
  private func isLater(_ place: Int, _ other: Int) -> Bool {
    let (left, right) = (entries[place], entries[other])
    return left.end == right.end ? (left.turn ?? 0) > (right.turn ?? 0) : left.end > right.end
  }

  private func predecessor(of place: Int) -> Int? {
    let entry = entries[place]
    var candidates = entry.dependencies.compactMap { named[$0] }
    candidates += lasts.prefix(entry.phase.index).compactMap(\.self)
    if let before = synchronousWorker(before: entry.turn ?? 0) { candidates.append(before) }
    return
      candidates
      .filter { (entries[$0].turn ?? .max) < (entry.turn ?? 0) && entries[$0].end <= entry.start }
      .max { isLater($1, $0) }
  }

  private func synchronousWorker(before turn: Int) -> Int? {
    var low = 0
    var high = synchronous.count
    while low < high {
      let middle = low + (high - low) / 2
      if (entries[synchronous[middle]].turn ?? 0) < turn { low = middle + 1 } else { high = middle }
    }
    return low > 0 ? synchronous[low - 1] : nil
  }
}
