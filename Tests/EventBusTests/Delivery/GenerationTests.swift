import EventBus
import TestSupport
import Testing

private let shortRegistrations = size(
  3_000,
  full: rounds(1_000_000, debug: 100_000, sanitized: 20_000)
)

/// The bound of ``ReclamationDomain``, walked through call by call.
@Suite("Generational reclamation")
struct GenerationTests {
  /// A domain with a count of the storage it has not freed.
  private struct Bench: ~Copyable {
    let domain = ReclamationDomain()
    let tally = Tally()

    init() { domain.prepare() }

    func retire() {
      var unlinked = UnlinkedItems()
      unlinked.append(object: ObjectAddress.retained(tally.probe()))
      domain.retire(unlinked)
      domain._checkInvariants()
    }

    func leave(_ visit: Visit) {
      domain.leave(visit)
      domain._checkInvariants()
    }

    func enter() throws -> Visit {
      let visit = domain.enter()
      return try #require(visit)
    }
  }

  @Test("Storage retired while no call runs is freed at once")
  func idle() {
    let bench = Bench()
    bench.retire()
    #expect(bench.tally.live == 0)
  }

  @Test("Storage retired during one call is freed with that call, although another has begun")
  func oneCall() throws {
    let bench = Bench()
    let running = try bench.enter()
    bench.retire()
    let later = try bench.enter()
    #expect(bench.tally.live == 1)
    bench.leave(running)
    #expect(bench.tally.live == 0)
    bench.leave(later)
  }

  @Test("A call delays earlier retired storage only through a call that overlapped both")
  func twoGenerations() throws {
    let bench = Bench()
    let oldest = try bench.enter()
    // Moves the epoch on, so that the next call is in its own row.
    bench.retire()
    let running = try bench.enter()
    bench.retire()
    let later = try bench.enter()
    bench.leave(running)
    #expect(bench.tally.live == 2)
    bench.leave(oldest)
    #expect(bench.tally.live == 1)
    let latest = try bench.enter()
    bench.leave(later)
    #expect(bench.tally.live == 0)
    bench.leave(latest)
  }

  @Test("An endless chain of overlapping calls retains the storage of its last two calls only")
  func chain() throws {
    let bench = Bench()
    var running = try bench.enter()
    var largest = 0
    for _ in 0..<size(1_000, full: 10_000) {
      bench.retire()
      let next = try bench.enter()
      bench.leave(running)
      running = next
      largest = max(largest, bench.tally.live)
    }
    // One retired while the running call's predecessor ran, and one while that one's predecessor did.
    #expect(largest <= 2)
    bench.leave(running)
    #expect(bench.tally.live == 0)
  }

  @Test("The bound holds for any schedule of calls and retirements")
  func anySchedule() throws {
    for seed in 0..<size(4, full: 20) { try walk(seed) }
  }

  private func walk(_ seed: Int) throws {
    let bench = Bench()
    var numbers = SampleNumbers(seed: seed)
    /// Running calls with the time they began.
    var running: [(visit: Visit, begin: Int)] = []
    /// When each call began and ended.
    var ended: [(begin: Int, end: Int)] = []
    var retirements: [Int] = []
    for time in 0..<1_000 {
      let choice = numbers.next(below: 5)
      if choice < 2, running.count < 6 {
        running.append((try bench.enter(), time))
      } else if choice < 4, !running.isEmpty {
        let call = running.remove(at: numbers.next(below: running.count))
        bench.leave(call.visit)
        ended.append((call.begin, time))
      } else {
        bench.retire()
        retirements.append(time)
      }
      guard let oldest = running.map(\.begin).min() else {
        #expect(bench.tally.live == 0, "seed \(seed)")
        continue
      }
      // The beginning of the oldest call that overlapped the oldest running one.
      let since = ended.filter { $0.end > oldest }.map(\.begin).min() ?? oldest
      #expect(bench.tally.live <= retirements.count { $0 >= min(since, oldest) }, "seed \(seed)")
    }
    for call in running { bench.leave(call.visit) }
    #expect(bench.tally.live == 0)
  }

  @Test("A permanent registration beside many short ones retains a bounded number of slots")
  func millionShortOnes() {
    let bus = EventBus()
    let signal = bus.signal(.number)
    let (heard, tally) = (Counter(), Tally())
    let kept = bus.observe(.number) { _ in heard.add() }
    for number in 0..<shortRegistrations {
      let token = bus.observe(.number) { [probe = tally.probe()] _ in probe.touch() }
      if number.isMultiple(of: 1_000) {
        bus.post(.number, 1)
        #expect(signal.slotCount <= 8)
        #expect(tally.live == 1)
      }
      token.cancel()
    }
    #expect(heard.value == shortRegistrations / 1_000)
    #expect(signal.slotCount <= 8)
    #expect(tally.live == 0)
    withExtendedLifetime(kept) {}
  }
}
