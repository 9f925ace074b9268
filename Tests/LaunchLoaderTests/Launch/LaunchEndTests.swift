import EventBus
import EventBusTesting
import LaunchLoader
import TestSupport
import Testing

@Suite("End of a launch", .timeLimit(.minutes(5)))
struct LaunchEndTests {
  let clock = ManualClock()
  let log = Log<String>()

  @Test(
    "A launch ends when a worker throws after a suspension, under any policy",
    arguments: [LaunchFailurePolicy.continue, .stop, .rollback]
  )
  func throwsAfterSuspension(policy: LaunchFailurePolicy) async throws {
    let loader = LaunchLoader(onFailure: policy)
    let (isRunning, mayThrow) = (ManualLatch(), ManualLatch())
    loader.register("a") { _ in
      isRunning.open()
      await mayThrow.wait()
      throw Broken()
    }
    let next = loader.register("b", after: ["a"], phase: .late) { [log] _ in log.append("b") }
    let launch = Task { await launchErrorCode { try await loader.launch() } }
    await isRunning.wait()
    await rest()
    mayThrow.open()
    _ = await launch.value
    #expect(try await loader.report().summary == ["a failed: broken", "b skipped because of a"])
    #expect(next.outcome?.description == "skipped because of a")
  }

  @Test(
    "A worker that stops because its launch was cancelled does not fail the launch",
    arguments: [LaunchFailurePolicy.stop, .rollback]
  )
  func cancelledWorkerIsNoFailure(policy: LaunchFailurePolicy) async throws {
    let loader = LaunchLoader(onFailure: policy, clock: clock)
    loader.register("a") { [clock] _ in try await clock.sleep(for: .seconds(1)) }
    loader.register("b", phase: .late) { [log] _ in log.append("b") }
    let launch = Task { try await loader.launch() }
    await clock.waitForSleepers(atLeast: 1)
    launch.cancel()
    #expect(
      try await launch.value.summary == ["a failed: CancellationError()", "b skipped"]
    )
  }

  @Test("A loader attached after the event was posted launches at once, with its options")
  func attachedAfterTheEvent() async throws {
    let bus = EventBus()
    bus.post(.didFinishLaunching, LaunchOptions(arguments: ["first"]))
    bus.post(.didFinishLaunching, LaunchOptions(arguments: ["last"]))
    let loader = LaunchLoader()
    loader.register("a") { [log] options in log.append(options.arguments.joined()) }
    loader.register("b") { [log] _ in
      await Task.yield()
      log.append("b")
    }
    let attachment = loader.attach(to: bus)
    #expect(log.entries.first == "last", "Synchronous workers have run when the call returns.")
    #expect(!attachment.isActive)
    #expect(try await loader.report().summary == ["a finished", "b finished"])
    #expect(log.entries == ["last", "b"])
    bus.post(.didFinishLaunching, LaunchOptions())
    #expect(log.entries == ["last", "b"])
  }

  @Test("A loader attached while the event is posted launches once", arguments: [1, 2])
  func attachingDuringThePost(loaders: Int) async throws {
    for _ in 0..<rounds(500, debug: 20, sanitized: 60) {
      let bus = EventBus()
      let counters = (0..<loaders).map { _ in Counter() }
      let all = counters.map { counter in
        let loader = LaunchLoader()
        loader.register { _ in counter.add() }
        return loader
      }
      let attachments = Log<Token>()
      await onThreads(2) { thread in
        if thread == 0 {
          bus.post(.didFinishLaunching, LaunchOptions())
        } else {
          for loader in all { attachments.append(loader.attach(to: bus)) }
        }
      }
      #expect(counters.allSatisfy { $0.value == 1 })
      #expect(attachments.entries.allSatisfy { !$0.isActive })
      withExtendedLifetime(attachments) {}
    }
  }
}
