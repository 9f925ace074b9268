// Register work, wait for the event, read the report.

// snippet.hide
import EventBus
// snippet.show
import LaunchLoader

// snippet.hide
enum Log {
  static func start(_ arguments: [String]) {}
}

enum Index {
  static func open() async throws {}
}

// snippet.show
LaunchLoader.register("logging") { options in Log.start(options.arguments) }

let attachment = LaunchLoader.shared.attach(to: .default)
EventBus.default.post(.didFinishLaunching, .current)  // runs it: once, whatever is posted later

// snippet.hide
attachment.cancel()

// snippet.show
let report = try await LaunchLoader.shared.launch()
print(report)  // a bar chart of 80 columns

let token = LaunchLoader.register("index") { options in try await Index.open() }
let outcome = try await token.wait()

let plan = try LaunchLoader.shared.plan()
print(plan)  // the layers, phase by phase
print(plan.dot)  // the graph, for Graphviz

// snippet.hide
precondition(plan.layers.isEmpty)
precondition(report.entries.map(\.id) == ["logging"])
print(outcome)
