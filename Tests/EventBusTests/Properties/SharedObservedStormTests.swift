import EventBus
import TestSupport
import Testing

@Suite("A shared property set by four threads at once")
struct SharedObservedStormTests {
  private static let sets = size(2_000, full: rounds(20_000, debug: 20_000, sanitized: 1_000))

  /// Waits until an observer has seen as many changes as were made, those included that merged.
  private func untilDelivered(_ chain: Chain, _ property: SharedObserved<Int>, _ sets: Int) async {
    await until(chain.count + property.mergedCount >= sets)
  }

  @Test("Each set of four threads is delivered or merged, in one unbroken chain for every observer")
  func chain() async {
    let property = SharedObserved(-1)
    let (first, second) = (Chain(), Chain())
    let tokens = [
      property.observe { first.take($0) },
      property.observe { second.take($0) },
    ]
    let sets = Self.sets
    await onThreads(4) { thread in
      for step in 0..<sets { property.value = thread * sets + step }
    }
    for chain in [first, second] {
      await untilDelivered(chain, property, 4 * sets)
      #expect(chain.breaks == 0)
      #expect(chain.count + property.mergedCount == 4 * sets)
      #expect(chain.last == property.value)
    }
    withExtendedLifetime(tokens) {}
  }

  @Test("Updates are atomic: no addition of four threads is lost")
  func updates() async {
    let property = SharedObserved(0)
    let chain = Chain(0)
    let token = property.observe { chain.take($0) }
    let sets = Self.sets
    await onThreads(4) { _ in
      for _ in 0..<sets { property.update { $0 += 1 } }
    }
    #expect(property.value == 4 * sets)
    await untilDelivered(chain, property, 4 * sets)
    #expect(chain.breaks == 0)
    #expect(chain.count + property.mergedCount == 4 * sets)
    withExtendedLifetime(token) {}
  }

  @Test("An observer registered meanwhile starts with the initial value and an unbroken chain")
  func initial() async {
    let property = SharedObserved(-1)
    let (registrations, sets) = (Self.sets / 10, Self.sets)
    let (broken, heardNothing) = (Counter(), Counter())
    await onThreads(4) { thread in
      if thread < 2 {
        for step in 0..<sets { property.value = thread * sets + step }
        return
      }
      for _ in 0..<registrations {
        let chain = Chain()
        let token = property.observe(initial: true) { change in
          chain.take(change)
          // So that changes come during the registration.
          if change.kind == .initial { yieldThread() }
        }
        if chain.count == 0 { heardNothing.add() }
        token.cancel()
        broken.add(chain.breaks)
      }
    }
    #expect(broken.value == 0)
    #expect(heardNothing.value == 0)
  }

  @Test("While four threads set, none delivers more than about a thousand changes for one set")
  func turns() async {
    let property = SharedObserved(-1)
    let (chain, delivered, longest) = (Chain(), PerThread(), Counter())
    let token = property.observe { change in
      chain.take(change)
      delivered.add()
    }
    let sets = Self.sets
    await onThreads(4) { thread in
      for step in 0..<sets {
        let before = delivered.count
        property.value = thread * sets + step
        let turn = delivered.count - before
        if turn > 1_000 + 1 + 64 { longest.add() }
      }
    }
    await untilDelivered(chain, property, 4 * sets)
    #expect(longest.value == 0)
    #expect(chain.breaks == 0)
    withExtendedLifetime(token) {}
  }

  @Test("Two threads that register under one id leave exactly one registration")
  func names() async {
    for _ in 0..<rounds(200, debug: size(50, full: 200), sanitized: 100) {
      let property = SharedObserved(0)
      let owner = PlainOwner()
      await onThreads(2) { _ in
        property.observe(owner: owner, id: "one") { owner, change in owner.log.append(change.new) }
      }
      property.value = 1
      #expect(owner.log.entries == [1])
    }
  }

  @Test("Many short-lived owners beside many living ones use bounded slots")
  func owners() {
    let property = SharedObserved(0)
    let living = (0..<size(200, full: 1_000)).map { _ in LivedOwner() }
    for owner in living { property.observe(owner: owner) { _, _ in } }
    var most = 0
    for round in 0..<Self.sets * 5 {
      property.observe(owner: LivedOwner()) { _, _ in }
      if round % 100 == 0 { most = max(most, property.observers.slotCount) }
    }
    #expect(most <= 2 * (living.count + 1))
  }
}

/// Counts calls by the thread they are made on.
private final class PerThread: Sendable {
  private struct State {
    var counts: [ThreadID: Int] = [:]
  }

  private let state = Locked(State())

  /// The number of calls on this thread.
  var count: Int {
    let thread = ThreadID.current
    return state.withLock { $0.counts[thread, default: 0] }
  }

  func add() {
    let thread = ThreadID.current
    state.withLock { $0.counts[thread, default: 0] += 1 }
  }
}

/// Checks the changes that one observer receives.
///
/// They come one at a time, but from different threads.
private final class Chain: Sendable {
  private struct State {
    var last: Int?
    var count = 0
    var breaks = 0
  }

  private let state: Locked<State>

  init(_ first: Int? = nil) { state = Locked(State(last: first)) }

  var count: Int { state.withLock { $0.count } }
  var breaks: Int { state.withLock { $0.breaks } }
  var last: Int? { state.withLock { $0.last } }

  func take(_ change: Change<Int>) {
    state.withLock { state in
      if let last = state.last, last != change.old { state.breaks += 1 }
      state.last = change.new
      state.count += 1
    }
  }
}
