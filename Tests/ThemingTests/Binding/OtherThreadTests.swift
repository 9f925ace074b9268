import EventBus
import TestSupport
import Testing
import Theming

@MainActor
@Suite("Views released on other threads")
struct OtherThreadTests {
  @Test("Views released on two threads during switches and registrations leave nothing behind")
  func contention() async throws {
    let manager = makeManager()
    let views = Views(themed(1_200, manager))
    let turns = Turns()
    async let dropping: Void = onThreads(2) { _ in
      while views.drop(15) { turns.next() }
    }
    var counts: Set<Int> = []
    while !views.isEmpty {
      turns.begin()
      _ = Label(manager, map: .full)
      try manager.use(rounded(manager.version))
      counts.insert(manager.subscriberCount)
    }
    turns.end()
    await dropping
    #expect(manager.subscriberCount == 0)
    // They did overlap: at most two handfuls went between one switch and the next.
    #expect(counts.count > 20)
  }

  @Test("Tokens of follow may be cancelled on another thread while the main actor switches")
  func cancelElsewhere() async throws {
    final class Box {
      var width = 0
    }
    let manager = makeManager()
    let boxes = (0..<2_000).map { _ in Box() }
    let tokens = boxes.map { manager.follow($0, [.set(\.width, .radius)]) }
    let turns = Turns()
    async let cancelling: Void = onThreads(1) { _ in
      for (number, token) in tokens.enumerated() {
        if number.isMultiple(of: 50) { turns.next() }
        token.cancel()
      }
    }
    while manager.subscriberCount > 0 {
      turns.begin()
      try manager.use(rounded(manager.version))
    }
    turns.end()
    await cancelling
    #expect(manager.version >= 40)
    let settled = boxes.map(\.width)
    try manager.use(rounded(-1))
    #expect(boxes.map(\.width) == settled)
  }

  /// Views that follow the manager and that no other code retains.
  private func themed(_ count: Int, _ manager: ThemeManager) -> [Label] {
    (0..<count).map { _ in
      let label = Label(manager, map: [.set(\.corner, .radius), .set(\.font, .font)])
      return label
    }
  }
}

/// Views on their way to the thread that releases them.
private final class Views: Sendable {
  // Not a `Mutex`, whose waiting path ThreadSanitizer does not know.
  private let views: Locked<[Label]>

  init(_ views: [Label]) { self.views = Locked(views) }

  var isEmpty: Bool { views.withLock(\.isEmpty) }

  /// Releases some views outside the lock and returns whether there were any.
  func drop(_ count: Int) -> Bool {
    let views = views.withLock { views in
      defer { views.removeLast(min(count, views.count)) }
      return Array(views.suffix(count))
    }
    return !views.isEmpty
  }
}

/// Synchronizes other threads with the turns of the main actor, so that both overlap.
private final class Turns: Sendable {
  private struct State {
    var next = ManualLatch()
    var isOver = false
  }

  private let state = Locked(State())

  func begin() {
    let latch = state.withLock { state in
      defer { state.next = ManualLatch() }
      return state.next
    }
    latch.open()
  }

  /// Makes every turn begin at once.
  func end() {
    state.withLock { $0.isOver = true }
    begin()
  }

  /// Waits for the next turn.
  func next() { state.withLock { $0.isOver ? nil : $0.next }?.block() }
}
