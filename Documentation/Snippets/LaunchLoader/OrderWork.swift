// The launch work of a mail program: phases, dependencies, a condition, limits and failures.

import LaunchLoader
import LaunchPictures

let loader = LaunchLoader(onFailure: .rollback, timeout: .seconds(30))

loader.register("crash reports", phase: .early) { options in print("catch crashes") }
loader.register("settings") { options in print("read the settings") }
loader.register("database", after: ["settings"], timeout: .seconds(5)) { options in
  await Task.yield()  // asynchronous work
}
loader.register("accounts", after: ["database"]) { options in print("sign in") }
loader.register("search <index>", after: ["database"]) { options in print("open the index") }
loader.register("suggestions", after: ["search <index>"]) { options in print("load words") }
loader.register("spelling", phase: .late, when: { !$0.arguments.contains("--plain") }) { _ in
  print("load the dictionary")
}
loader.register("old attachments", phase: .idle) { options in print("the launch does not wait") }

let plan = try loader.plan()
print(plan)  // the layers, phase by phase
print(plan.svg())  // the picture above
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
  print(error)  // names the work and the lines of its registration
}
