// What one wrote with a service group, an app delegate, or a process lifecycle owner.

import EventBus
import LaunchLoader

final class Delegate: ApplicationDelegate {
  func applicationDidFinishLaunching(_ app: Application, options: LaunchOptions) {
    print("launched")
  }
}

let app = Application(delegate: Delegate(), loader: LaunchLoader())
// snippet.hide
let running = Task { try await app.run() }
// snippet.show
let launched = app.bus.observe(.didFinishLaunching) { options in print(options.reason) }

// snippet.hide
let watching = Task {
  // snippet.show
  await app.whileAtLeast(.active) {  // repeatOnLifecycle(RESUMED)
    print("polls while active, is cancelled in the background")
  }
  // snippet.hide
}
try await app.waitUntil(.active)
app.shutdown()
await watching.value
let code = try await running.value
precondition(code == 0)
