import EventBus
import LaunchLoader
import TestSupport
import Testing

@Suite("Threads that launch, register and cancel at once", .timeLimit(.minutes(5)))
struct ContentionTests {
  private let rounds = 1_000

  @Test("Of many threads that launch one does; each worker runs once")
  func launchingAtOnce() async throws {
    for _ in 0..<rounds / 50 {
      // Many loaders a round: the threads meet again and again, not only at the start.
      let launches = (0..<200).map { _ in Launch() }
      await onThreads(2) { thread in
        for launch in launches { launch.buses[thread].post(.didFinishLaunching, LaunchOptions()) }
      }
      for launch in launches {
        #expect(launch.counters.map(\.value) == [1, 1, 1, 1])
        #expect(try await launch.loader.report.entries.count == 4)
        #expect(launch.attachments.allSatisfy { !$0.isActive })
      }
    }
  }

  @Test("Tasks that launch while a thread posts the event all get the one report")
  func launchingFromTasks() async throws {
    for _ in 0..<rounds {
      let loader = LaunchLoader()
      let bus = EventBus()
      let attachment = loader.attach(to: bus)
      let counter = Counter()
      loader.register("a") { _ in counter.add() }
      loader.register("b") { _ in
        await Task.yield()
        counter.add()
      }
      async let first = loader.launch()
      async let second = loader.launch()
      await onThreads(2) { _ in bus.post(.didFinishLaunching, LaunchOptions()) }
      let reports = try await [first, second, loader.report]
      #expect(counter.value == 2)
      #expect(Set(reports.map(\.total)).count == 1)
      #expect(reports.allSatisfy { $0.summary == ["a finished", "b finished"] })
      withExtendedLifetime(attachment) {}
    }
  }

  @Test(
    "Registrations that race with a whole launch, its end included, run once each",
    arguments: [
      false, true,
    ]
  )
  func registeringDuringLaunch(someAsynchronous: Bool) async throws {
    for _ in 0..<rounds / 5 {
      let loader = LaunchLoader()
      let bus = EventBus()
      let attachment = loader.attach(to: bus)
      let synchronous = Log<(LaunchToken, Counter)>()
      let asynchronous = Log<(LaunchToken, Counter)>()
      await onThreads(3) { thread in
        if thread == 0 {
          bus.post(.didFinishLaunching, LaunchOptions())
          return
        }
        // Until one has run at once, because the launch is over.
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
      _ = try await loader.report
      #expect(synchronous.entries.allSatisfy { $0.0.outcome != nil && $0.1.value == 1 })
      for (token, counter) in asynchronous.entries {
        #expect(try await token.wait().description == "finished")
        #expect(counter.value == 1)
      }
      withExtendedLifetime(attachment) {}
    }
  }

  @Test("A registration that is cancelled while the launch runs either runs or was cancelled")
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
      let report = try await loader.report
      #expect(zip(ran, cancelled).allSatisfy { $0.value + $1.value == 1 })
      #expect(report.entries.count == ran.count { $0.value == 1 })
      withExtendedLifetime(attachment) {}
    }
  }

  @Test("Attaching while another thread launches leaves no subscription behind")
  func attachingDuringLaunch() async {
    for _ in 0..<rounds {
      let loader = LaunchLoader()
      let bus = EventBus()
      let first = loader.attach(to: bus)
      let attachments = Log<Token>()
      await onThreads(2) { thread in
        if thread == 0 {
          bus.post(.didFinishLaunching, LaunchOptions())
        } else {
          attachments.append(loader.attach(to: bus))
        }
      }
      #expect(!first.isActive)
      #expect(attachments.entries.allSatisfy { !$0.isActive })
    }
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
