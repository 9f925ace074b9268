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
let services = AppServiceGroup("test", clock: clock)
try services.add(Cleaner(clock: clock), options: AppServiceOptions(reportsReadiness: true))

try services.start { message in print(message) }
try await services.waitUntilReady()  // throws if the service ends before
services.shutdown()
await clock.waitForSleepers(atLeast: 2)  // the service, and the time limit of the group
clock.jump(by: .seconds(20))  // the message: the cleaner is cancelled, because it did not stop
try await services.waitUntilStopped()
