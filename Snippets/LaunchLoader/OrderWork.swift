// Dependencies, phases, conditions, limits and failures.

import LaunchLoader

// snippet.hide
enum Files {
  static func warmUp() async throws {}
}

enum Migration {
  static func run() throws {}
}

// snippet.show
let loader = LaunchLoader(onFailure: .rollback, timeout: .seconds(30), width: 4)

loader.register("logging", phase: .early) { options in print(options.arguments.count) }
loader.register("migration", when: { $0.arguments.contains("--migrate") }) { options in
  try Migration.run()
}
loader.register("database", afterIfPresent: ["migration"]) { options in print("open") }
loader.register("index", after: ["database"], timeout: .seconds(5)) { options in
  try await Files.warmUp()
}
loader.register("statistics", phase: .idle) { options in print("nobody waits for this") }

struct Server: LaunchWorker {
  static let id: LaunchID = "server"
  static let dependencies: [LaunchID] = ["database"]
  func launch(_ options: LaunchOptions) async throws { print("listen") }
  func undo() async { print("close") }
}
loader.register(Server.self)

let plan = try loader.plan()
print(plan)  // the layers, phase by phase
print(plan.dot)  // the graph, for Graphviz

do {
  let report = try await loader.launch()
  print(report)
} catch {
  print(error)  // names the workers and the lines of their registrations
}
