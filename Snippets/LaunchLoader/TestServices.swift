// A service alone, on a manual clock.

import EventBus
import LaunchLoader

struct Cleaner: Service {
  let clock: any Clock<Duration>

  func run(_ context: ServiceContext) async throws {
    context.ready()
    try await context.untilShutdown()
    try await clock.sleep(for: .seconds(30))  // takes too long
  }
}

let clock = ManualClock()
let run = ServiceRun(Cleaner(clock: clock), clock: clock) { message in print(message) }
try await run.untilReady()  // throws if the service ends before
run.shutdown()
await clock.sleepers(atLeast: 2)  // the service, and its time limit
clock.jump(by: .seconds(20))

do {
  try await run.wait()
} catch is CancellationError {
  print("the cleaner was cancelled")  // it did not stop within 20 s
}
