// The samples of documentation comments about launch work.

import EventBus
import LaunchLoader

LaunchLoader.register("logging") { options in print("logging: \(options.reason)") }

let attachment = LaunchLoader.shared.attach(to: .default)
EventBus.default.post(.didFinishLaunching, .current)  // runs it: once, whatever is posted later
// snippet.hide
attachment.cancel()

func token() async throws {
  // snippet.show
  let token = LaunchLoader.register("index") { options in await Task.yield() }
  try await LaunchLoader.shared.launch()
  print(try await token.wait())
  // snippet.hide
}

func plan() throws {
  // snippet.show
  let plan = try LaunchLoader.shared.plan()
  print(plan)  // the layers, phase by phase
  print(plan.dot)  // the graph, for Graphviz
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
    func launch(_ options: LaunchOptions) async throws { print(options.reason) }
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
extension LaunchReason { static let restoredFromCrash: LaunchReason = "restored from a crash" }
// snippet.hide

// snippet.show
extension LaunchKeys { static let greeting = LaunchKey<String>("greeting") }

LaunchLoader.register(.greeting) { options in "Hello, \(options.arguments.count)" }
LaunchLoader.register("greet", needs: .greeting) { options, greeting in print(greeting) }
// snippet.hide

try await token()
try plan()
try await report()
worker()
optionKey()
precondition(LaunchReason.restoredFromCrash.rawValue == "restored from a crash")
