// Work with a type of its own, and what it is told.

import LaunchLoader

struct StartAnalytics: LaunchWorker {
  static let dependencies: [LaunchID] = ["logging"]
  func launch(_ options: LaunchOptions) async throws {
    print(options[DeepLink.self] ?? "no link", options.reason)
  }
}
LaunchLoader.register(StartAnalytics.self)

enum DeepLink: LaunchOptionKey { typealias Value = String }

var options = LaunchOptions.current
options[DeepLink.self] = "mail/inbox"

extension LaunchReason { static let restoredFromCrash: LaunchReason = "restored from a crash" }

// snippet.hide
options.reason = .restoredFromCrash
LaunchLoader.register("logging") { _ in }
let report = try await LaunchLoader.shared.launch(options)
precondition(report.entries.count == 2 && report.failures.isEmpty)
