// Dependencies, phases, conditions, limits and failures.

import LaunchLoader
import LaunchPictures

let loader = LaunchLoader(onFailure: .rollback, timeout: .seconds(30), width: 4)

loader.register("logging", phase: .early) { options in print(options.arguments.count) }
loader.register("migration", when: { $0.arguments.contains("--migrate") }) { options in
  print("migrate")
}
loader.register("database", afterIfPresent: ["migration"]) { options in print("open") }
loader.register("index", after: ["database"], timeout: .seconds(5)) { options in
  await Task.yield()  // asynchronous work
}
loader.register("statistics", phase: .idle) { options in print("the launch does not wait") }

let plan = try loader.plan()
print(plan)  // the layers, phase by phase
print(plan.dot())  // the graph, for Graphviz
print(plan.svg())  // the graph as a picture
for edge in plan.edges { print(edge.from, edge.to, edge.isRequired) }

struct Server: LaunchWorker {
  static let id: LaunchID = "server"
  static let dependencies: [LaunchID] = ["database"]
  func launch(_ options: LaunchOptions) async throws { print("listen") }
  func undo() async { print("close") }
}
loader.register(Server.self)

do {
  let report = try await loader.launch()
  print(report)
} catch {
  print(error)  // names the workers and the lines of their registrations
}
