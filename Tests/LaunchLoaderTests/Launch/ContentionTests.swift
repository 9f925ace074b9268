import EventBus
import EventBusTesting
import LaunchLoader
import TestSupport
import Testing

@Suite("Concurrent launching, registering and cancelling", .timeLimit(.minutes(5)))
struct ContentionTests {
  private let rounds = TestSupport.rounds(1_000, debug: 30, sanitized: 100)

  @Test("Of many threads that launch, exactly one does; each worker runs once")
  func launchingAtOnce() async throws {
    for _ in 0..<max(1, rounds / 50) {
      // Many loaders a round: the threads meet again and again, not only at the start.
      let count = TestSupport.rounds(200, debug: 100, sanitized: 200)
      let launches = (0..<count).map { _ in Launch() }
      await onThreads(2) { thread in
        for launch in launches { launch.buses[thread].post(.didFinishLaunching, LaunchOptions()) }
      }
      for launch in launches {
        #expect(launch.counters.map(\.value) == [1, 1, 1, 1])
        #expect(try await launch.loader.report().entries.count == 4)
        #expect(launch.attachments.allSatisfy { !$0.isActive })
      }
    }
  }

  @Test(
    "Registrations that race with a whole launch, including its end, run once each",
    arguments: [
      false, true,
    ]
  )
  func registeringDuringLaunch(someAsynchronous: Bool) async throws {
    for _ in 0..<rounds / 5 {
      let loader = LaunchLoader()
      let bus = EventBus()
      let attachment = loader.attach(to: bus)
      let synchronous = Log<(LaunchRegistration, Counter)>()
      let asynchronous = Log<(LaunchRegistration, Counter)>()
      await onThreads(3) { thread in
        if thread == 0 {
          bus.post(.didFinishLaunching, LaunchOptions())
          return
        }
        // Continues until one runs at once, because the launch is over.
        for index in 0..<200 {
          let counter = Counter()
          if someAsynchronous, index == 3 {
            let token = loader.register { _ in
              await Task.yield()
              counter.add()
            }
            asynchronous.append((token, counter))
          } else {
            let token = loader.register { _ in counter.add() }
            synchronous.append((token, counter))
            if counter.value == 1, token.outcome != nil, index > 3 { break }
          }
        }
      }
      _ = try await loader.report()
      #expect(synchronous.entries.allSatisfy { $0.0.outcome != nil && $0.1.value == 1 })
      for (token, counter) in asynchronous.entries {
        #expect(try await token.waitUntilFinished().description == "finished")
        #expect(counter.value == 1)
      }
      withExtendedLifetime(attachment) {}
    }
  }

  @Test("A registration cancelled during the launch either runs or is cancelled, never both")
  func cancellingDuringLaunch() async throws {
    let count = 20
    for _ in 0..<rounds {
      let loader = LaunchLoader()
      let bus = EventBus()
      let attachment = loader.attach(to: bus)
      let ran = (0..<count).map { _ in Counter() }
      let tokens = ran.map { counter in loader.register { _ in counter.add() } }
      let cancelled = (0..<count).map { _ in Counter() }
      await onThreads(2) { thread in
        if thread == 0 {
          bus.post(.didFinishLaunching, LaunchOptions())
        } else {
          for (token, counter) in zip(tokens, cancelled).reversed() where token.cancel() {
            counter.add()
          }
        }
      }
      let report = try await loader.report()
      #expect(zip(ran, cancelled).allSatisfy { $0.value + $1.value == 1 })
      #expect(report.entries.count == ran.count { $0.value == 1 })
      withExtendedLifetime(attachment) {}
    }
  }

  @Test("A worker that ends as its timeout expires has one outcome, and its dependants agree")
  func timingOutAtTheEnd() async throws {
    for _ in 0..<rounds / 2 {
      let clock = ManualClock()
      let loader = LaunchLoader(clock: clock)
      let mayEnd = ManualLatch()
      let ran = Counter()
      let token = loader.register("a", timeout: .seconds(1)) { _ in await mayEnd.wait() }
      loader.register("b", after: ["a"]) { _ in ran.add() }
      async let launch = loader.launch()
      await clock.waitForSleepers(atLeast: 1)
      await onThreads(2) { thread in
        if thread == 0 { mayEnd.open() } else { clock.jump(by: .seconds(1)) }
      }
      let report = try await launch
      let isFinished = token.outcome?.description == "finished"
      #expect(
        report.summary
          == (isFinished
            ? ["a finished", "b finished"] : ["a timed out", "b skipped because of a"])
      )
      #expect(ran.value == (isFinished ? 1 : 0))
    }
  }

  @Test("Late work registered while its dependency ends still runs", arguments: [1, 3])
  func registeringAtTheEnd(dependants: Int) async throws {
    let loader = LaunchLoader()
    try await loader.launch()
    for round in 0..<rounds / 2 {
      let id = LaunchID("needed \(round)")
      let mayEnd = ManualLatch()
      let tokens = Log<LaunchRegistration>()
      let counter = Counter()
      loader.register(id) { _ in await mayEnd.wait() }
      await onThreads(2) { thread in
        if thread == 0 {
          mayEnd.open()
        } else {
          for _ in 0..<dependants {
            tokens.append(loader.register(after: [id]) { _ in counter.add() })
          }
        }
      }
      for token in tokens.entries {
        #expect(try await token.waitUntilFinished().description == "finished")
      }
      #expect(counter.value == dependants)
    }
  }

  @Test(
    "In random graphs, each asynchronous worker begins after its dependencies, once",
    arguments: 0..<TestSupport.rounds(50, debug: 5, sanitized: 5)
  )
  func randomGraphs(seed: Int) async throws {
    var numbers = SampleNumbers(seed: seed)
    let loader = LaunchLoader(width: 1 + numbers.next(below: 8))
    let ended = (0..<60).map { _ in Counter() }
    let tooEarly = Counter()
    for index in ended.indices {
      let needed = (0..<numbers.next(below: 4)).map { _ in numbers.next(below: max(1, index)) }
        .filter { $0 < index }
      let names = needed.map { LaunchID("\($0)") }
      if numbers.next(below: 4) == 0 {
        loader.register(LaunchID("\(index)"), after: names) { _ in
          if needed.contains(where: { ended[$0].value == 0 }) { tooEarly.add() }
          ended[index].add()
        }
      } else {
        loader.register(LaunchID("\(index)"), after: names) { _ in
          if needed.contains(where: { ended[$0].value == 0 }) { tooEarly.add() }
          await Task.yield()
          ended[index].add()
        }
      }
    }
    let report = try await loader.launch()
    #expect(tooEarly.value == 0)
    #expect(ended.allSatisfy { $0.value == 1 })
    #expect(report.entries.allSatisfy { $0.outcome.description == "finished" })
  }

  /// A loader on two buses with four workers.
  private struct Launch: Sendable {
    let loader = LaunchLoader()
    let buses = [EventBus(), EventBus()]
    let counters = (0..<4).map { _ in Counter() }
    let attachments: [Token]

    init() {
      for counter in counters { loader.register { _ in counter.add() } }
      attachments = [loader.attach(to: buses[0]), loader.attach(to: buses[1])]
    }
  }
}
