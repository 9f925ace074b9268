extension LaunchReport {
  /// The work of a chain of dependencies, in order, and its duration.
  struct Chain: Sendable {
    var entries: [Entry] = []
    var duration = Duration.zero
  }

  /// The chain of dependencies that took longest; `nil` if no work waited for other work, if work without
  /// dependencies took longer, or if the chain took less than half of the launch.
  ///
  /// Only making an element of it shorter makes the launch shorter than the duration of the chain, however
  /// much else runs at the same time. Unlike ``criticalPath``, it leaves out work that ran before other
  /// work only because both are synchronous.
  ///
  /// - Complexity: O(*n* log *n* + *e*) in the numbers of entries and of dependencies.
  var longestChain: Chain? {
    let ran = entries.filter { $0.turn != nil }.sorted { ($0.turn ?? 0) < ($1.turn ?? 0) }
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
    var chain = Chain(duration: best[last].duration)
    var next: Int? = last
    while let index = next {
      chain.entries.append(ran[index])
      next = best[index].previous
    }
    chain.entries.reverse()
    return chain
  }
}
