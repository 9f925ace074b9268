import Synchronization

/// Holds tasks back until enough of them are running, so that what they do overlaps.
final class StartGate: Sendable {
  private let arrived = Atomic(0)
  private let needed: Int

  init(_ needed: Int) { self.needed = needed }

  func pass() async {
    arrived.add(1, ordering: .sequentiallyConsistent)
    while arrived.load(ordering: .sequentiallyConsistent) < needed { await Task.yield() }
  }
}
