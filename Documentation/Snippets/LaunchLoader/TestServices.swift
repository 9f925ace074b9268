// A service alone, on a manual clock.

import EventBus
import EventBusTesting
import LaunchLoader

struct Cleaner: AppService {
  let clock: any Clock<Duration>

  func run(_ context: AppServiceContext) async throws {
    context.markReady()
    try await context.waitUntilShutdown()
    try await clock.sleep(for: .seconds(30))  // takes too long
  }
}

let clock = ManualClock()
let run = AppServiceRun(Cleaner(clock: clock), clock: clock) { message in print(message) }
try await run.waitUntilReady()  // throws if the service ends before
run.shutdown()
await clock.waitForSleepers(atLeast: 2)  // the service, and its time limit
clock.jump(by: .seconds(20))

do {
  try await run.wait()
} catch is CancellationError {
  print("the cleaner was cancelled")  // it did not stop within 20 s
}
