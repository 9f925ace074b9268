import EventBus
import LaunchLoader
import TestSupport
import Testing

@Suite("Services under contention", .timeLimit(.minutes(5)))
struct ServiceContentionTests {
  @Test("With concurrent adds, ends, stops and interrupts, each accepted service ends once")
  func storm() async throws {
    for round in 0..<rounds(200, debug: 20, sanitized: 40) {
      let stage = Stage()
      let taken = Counter()
      let entered = Counter()
      let left = Counter()
      let gate = StartGate(2)
      try stage.add("first") { context in
        context.markReady()
        try await context.waitUntilShutdown()
      }
      let running = try await stage.startUntilActive()
      await onThreads(2) { thread in
        for index in 0..<20 {
          gate.arriveAndWait()
          if index == 10, thread == 1 {
            if round % 2 == 0 { stage.app.shutdown() } else { running.cancel() }
          }
          let isAdded =
            serviceErrorKind { () throws(AppServiceError) in
              var options = AppServiceOptions()
              options.onReturn = .ignore
              options.onThrow = .ignore
              try stage.app.add("\(thread) \(index)", options: options) { context in
                entered.add()
                defer { left.add() }
                if index % 3 == 0 { return }
                await Task.yield()
                if index % 3 == 1 { throw Failed(name: "\(index)") }
                try await context.waitUntilShutdown()
              }
            } == nil
          if isAdded { taken.add() }
        }
      }
      let result = await running.result
      if case .failure(let error) = result { #expect(error is CancellationError) }
      // An accepted service may have been dropped before its turn; an entered one has ended.
      #expect(entered.value == left.value)
      #expect(taken.value >= entered.value)
      #expect(stage.app.state == .terminated)
    }
  }
}
