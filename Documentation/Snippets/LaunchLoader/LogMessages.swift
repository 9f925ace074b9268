// The messages of an application as structured lines, without a library for logs.

import EventBus
import LaunchLoader

/// Writes a line of `key="value"` pairs, with quotation marks and control characters escaped.
func log(_ fields: KeyValuePairs<String, String?>) {
  let pairs = fields.compactMap { key, value in value.map { "\(key)=\($0.debugDescription)" } }
  print(pairs.joined(separator: " "))
}

var configuration = AppHost.Configuration()
configuration.onMessage = { message in
  log([
    "message": message.description,
    "state": message.state?.rawValue,
    "services": message.services.isEmpty ? nil : message.services.joined(separator: " "),
    "workers": message.workers.isEmpty ? nil : message.workers.joined(separator: " "),
    "error": message.error.map { "\($0)" },
    "seconds": message.elapsed.map { "\($0 / .seconds(1))" },
  ])
}

// snippet.hide
configuration.launchOptions = LaunchOptions()
configuration.cancelTimeout = .milliseconds(100)
// snippet.show
let app = AppHost(configuration: configuration)
let options = AppServiceOptions(stopTimeout: .milliseconds(100))
try app.add("writer", options: options) { context in
  try await context.waitUntilShutdown()
  try await Task.sleep(for: .seconds(60))  // takes too long
}

// snippet.hide
let running = Task { try await app.run() }
try await app.waitUntil(state: .active)
// snippet.show
let observations = [
  app.bus.observe(.appStateDidChange) { state in log(["app": "\(state)"]) },
  app.bus.observe(.appServiceStateDidChange) { change in
    log([
      "service": change.service,
      "state": change.state.rawValue,
      "attempt": "\(change.attempt)",
      "error": change.error.map { "\($0)" },
    ])
  },
]

// snippet.hide
app.shutdown()
let code = try await running.value
precondition(code == 0)
log(["quoted": "a \"b\"\n", "absent": nil])
