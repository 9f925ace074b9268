// The equivalents of a service group, an app delegate and a process lifecycle owner.

import EventBus
import LaunchLoader

final class Delegate: AppHostDelegate {
  func applicationDidFinishLaunching(_ app: AppHost, options: LaunchOptions) {
    print("launched")
  }
}

let app = AppHost(delegate: Delegate(), loader: LaunchLoader())
let launched = app.bus.observe(.didFinishLaunching) { options in print(options.reason) }

// snippet.hide
let running = Task { try await app.run() }
let ending = Task {
  try await app.waitUntil(state: .active)
  app.shutdown()
}
// snippet.show

await app.whileState(atLeast: .active) {  // repeatOnLifecycle(RESUMED)
  print("polls while active, is cancelled in the background")
}

// snippet.hide
try await ending.value
let code = try await running.value
precondition(code == 0)
