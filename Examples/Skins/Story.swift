import Checklist
import EventBus
import LaunchLoader
import Theming

/// The story of the three libraries in numbered lines, with values from the current run.
@MainActor
final class Story {
  let app: AppHost
  let manager = ThemeManager.skins
  let ledger = Ledger()
  /// The rows on the screen; the only strong references to them.
  var rows: [RowView] = []
  private var checklist = Checklist()
  /// The folder of theme files that the user named, or `nil` for the one of the demo.
  let folder: String?

  /// The reason the story cannot run.
  struct Problem: Error, CustomStringConvertible {
    let description: String
  }

  init(_ app: AppHost, themes folder: String?) {
    self.app = app
    self.folder = folder
  }

  /// Runs the application from launch to end, and prints the story.
  ///
  /// - Returns: The exit status: 0 if every line is true.
  /// - Throws: ``Problem`` with the mistakes in the user's theme files.
  func run() async throws -> Int32 {
    if let folder {
      let complaints = ThemeFiles.read(folder).complaints
      if !complaints.isEmpty { throw Problem(description: complaints.joined(separator: "\n")) }
    }
    print("skins: features launch, rows change their skin, and subscriptions end by themselves\n")
    let token = watchStates()
    line("Registration before main runs no work", list(Diary.shared.notes), is: "nothing")
    try app.add("story", onReturn: .shutdown) { @MainActor _ in
      try await self.app.waitUntil(state: .active)
      try await self.checkLaunching()
      try self.checkSwitching()
      try self.checkLooks()
      try self.checkFiles()
      try self.checkEndings()
    }
    let status = try await app.run()
    line(
      "The application stops in order",
      "\(list(Diary.shared.takeStates())), exit status \(status)",
      is: "inactive, stopping, terminated, exit status 0"
    )
    token.cancel()
    print("\n\(checklist.summary)")
    return checklist.exitStatus
  }

  /// Records the states of the application; nonisolated, so that each is recorded on entry.
  nonisolated private func watchStates() -> Token {
    app.bus.observe(.appStateDidChange) { Diary.shared.note($0) }
  }

  /// Checks and prints a line.
  func line(_ sentence: String, _ found: String, is expected: String) {
    print(checklist.line(sentence, found, is: expected))
  }

  /// Joins words into one text.
  func list(_ words: [String]) -> String {
    words.isEmpty ? "nothing" : words.joined(separator: ", ")
  }

  /// Returns the number of switches that a closure makes, each of which is an event.
  func switches(in body: () throws -> Void) rethrows -> Int {
    let switches = Switches()
    let token = app.bus.observe(.themeDidChange) { @MainActor _ in switches.count += 1 }
    try body()
    token.cancel()
    return switches.count
  }

  /// Creates a row that follows the skin.
  func makeRow(_ index: Int = 0) -> RowView {
    let row = RowView(Message.first[index], manager, ledger)
    row.themeMap = row.map
    return row
  }

  /// Returns the description of the error that a closure throws.
  func complaint(_ body: () throws -> Void) -> String {
    do {
      try body()
      return "nothing was wrong"
    } catch {
      return "\(error)"
    }
  }
}

/// A count of switches.
@MainActor
private final class Switches {
  var count = 0
}
