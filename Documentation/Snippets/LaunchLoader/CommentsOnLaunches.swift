// The samples of documentation comments about launch work.

import EventBus
import LaunchLoader

LaunchLoader.register("logging") { options in print("logging: \(options.arguments)") }

let attachment = LaunchLoader.shared.attach(to: .default)
EventBus.default.post(.didFinishLaunching, .current)  // runs it: once, whatever is posted later
// snippet.hide
attachment.cancel()

func registration() async throws {
  // snippet.show
  let registration = LaunchLoader.register("index") { options in await Task.yield() }
  try await LaunchLoader.shared.launch()
  print(try await registration.waitUntilFinished())
  // snippet.hide
}

func plan() throws {
  // snippet.show
  let plan = try LaunchLoader.shared.plan()
  print(plan)  // the layers, phase by phase
  for edge in plan.edges { print(edge.from, "before", edge.to) }
  // snippet.hide
}

func report() async throws {
  // snippet.show
  let report = try await LaunchLoader.shared.launch()
  print(report)  // a bar chart of 80 columns
  // snippet.hide
  precondition(report.entries.map(\.id).contains("logging"))
}

func worker() {
  // snippet.show
  struct StartAnalytics: LaunchWorker {
    static let dependencies: [LaunchID] = ["logging"]
    func launch(_ options: LaunchOptions) async throws { print(options.arguments) }
  }

  LaunchLoader.register(StartAnalytics.self)
  // snippet.hide
}

func optionKey() {
  // snippet.show
  enum DeepLink: LaunchOptionKey { typealias Value = String }

  var options = LaunchOptions.current
  options[DeepLink.self] = "mail/inbox"
  // snippet.hide
  precondition(options[DeepLink.self] == "mail/inbox")
}

// snippet.show
extension LaunchKeys { static let greeting = LaunchKey<String>("greeting") }

LaunchLoader.register(.greeting) { options in "Hello, \(options.arguments.count)" }
LaunchLoader.register("greet", needs: .greeting) { options, greeting in print(greeting) }

#if objectFormat(MachO)
@section("__DATA,__mod_init_func,mod_init_funcs") @used
#else
@section(".init_array") @used
#endif
private let entry: LaunchEntry = {
  LaunchLoader.register("analytics") { options in print("analytics: \(options.arguments)") }
}
// snippet.hide

try await registration()
try plan()
try await report()
worker()
optionKey()
