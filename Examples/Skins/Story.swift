import Checklist
import EventBus
import LaunchLoader
import Theming

/// What the three libraries do, told in numbered lines with values from this very run.
@MainActor
final class Story {
  let app: Application
  let manager = ThemeManager.skins
  let ledger = Ledger()
  /// The rows on the screen, which nothing else keeps.
  var rows: [RowView] = []
  private var checklist = Checklist()

  init(_ app: Application) { self.app = app }

  /// Tells the story from the launch of the application to its end.
  ///
  /// - Returns: The exit status: 0 if every line is true.
  func tell() async throws -> Int32 {
    print("skins: features launch, rows change their skin, and subscriptions end by themselves\n")
    let token = watchStates()
    line("Registration before main runs no work", list(Diary.shared.notes), is: "nothing")
    try app.add("story", ServiceOptions(onReturn: .shutdown)) { @MainActor _ in
      try await self.app.waitUntil(.active)
      try await self.tellOfLaunching()
      try self.tellOfSwitching()
      try self.tellOfLooks()
      self.tellOfFiles()
      try self.tellOfEndings()
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

  /// Notes the states of the application; on no actor, so that each is noted when it is entered.
  nonisolated private func watchStates() -> Token {
    app.bus.observe(.stateDidChange) { Diary.shared.note($0) }
  }

  /// Checks and prints a line.
  func line(_ sentence: String, _ found: String, is expected: String) {
    print(checklist.line(sentence, found, is: expected))
  }

  /// Some words as one.
  func list(_ words: [String]) -> String {
    words.isEmpty ? "nothing" : words.joined(separator: ", ")
  }

  /// A row that follows the skin.
  func makeRow(_ index: Int = 0) -> RowView {
    let row = RowView(Message.first[index], manager, ledger)
    row.themeMap = row.map
    return row
  }

  /// What an error says.
  func complaint(_ body: () throws -> Void) -> String {
    do {
      try body()
      return "nothing was wrong"
    } catch {
      return "\(error)"
    }
  }
}
