import Checklist
import EventBus
import LaunchLoader
import Theming

/// What the three libraries do, told in numbered lines with values from this very run.
@MainActor
struct Story {
  private var checklist = Checklist()
  private let bus = EventBus.default
  private let manager = ThemeManager.shared
  /// The rows on the screen, which nothing else keeps.
  private var inbox: [Row] = []

  /// Tells the story, and returns the exit status: 0 if every line is true.
  mutating func tell() async throws -> Int32 {
    print("skins: three features launch, and a row of the inbox changes its skin\n")
    try await launch()
    try changeSkins()
    try endSubscriptions()
    print("\n\(checklist.summary)")
    return checklist.exitStatus
  }

  /// Launch work, registered by the files of the features before `main`.
  private mutating func launch() async throws {
    let diary = Diary.shared
    line("Registering before main runs nothing", list(diary.notes), is: "nothing")

    let attachment = LaunchLoader.shared.attach(to: bus)
    bus.post(.didFinishLaunching, .current)
    let report = try await LaunchLoader.shared.report
    line(
      "The launch event runs the work of each feature, once",
      list(diary.notes.sorted()),
      is: "inbox, logbook, palette"
    )
    line(
      "Each came from its own file",
      list(report.entries.map(\.fileID).sorted()),
      is: "skins/Inbox.swift, skins/Logbook.swift, skins/Palette.swift"
    )

    bus.post(.didFinishLaunching, .current)
    line(
      "Posted again, it runs nothing: the loader has left the bus",
      "\(diary.notes.count) ran, attached \(attachment.isActive)",
      is: "3 ran, attached false"
    )

    let late = LaunchLoader.register("late") { _ in diary.note("late") }
    let outcome = try await late.wait()
    line("Work registered after the launch runs at once", "\(outcome)", is: "finished")
  }

  /// A row of the inbox, and the setter that does all the work.
  private mutating func changeSkins() throws {
    let row = Row()
    inbox = [row]
    let before = manager.subscriberCount
    row.follow()
    line(
      "The setter subscribes a row and dresses it",
      "\(manager.theme.name), subscribers \(before) → \(manager.subscriberCount), \(look(of: row))",
      is: "Day, subscribers 0 → 1, paper #fbf7ef, ink #2b2620, corner 4"
    )

    row.follow()
    line(
      "Set again, the row is subscribed once all the same",
      "subscribers \(manager.subscriberCount)",
      is: "subscribers 1"
    )

    let observer = bus.observe(.themeDidChange) { change in
      let keys = change.changedKeys.map(\.name).sorted()
      Diary.shared.note("\(change.old.name) → \(change.new.name): \(keys.joined(separator: ", "))")
    }
    let noted = Diary.shared.notes.count
    _ = row.takeTouched()
    try manager.use(.night)
    line(
      "A switch touches what changed, each property once",
      list(row.takeTouched()),
      is: "paper, ink"
    )
    line(
      "Then the bus hears of it",
      list(Array(Diary.shared.notes.dropFirst(noted))),
      is: "Day → Night: color.ink, color.paper"
    )
    observer.cancel()

    try manager.use(.ember)
    line("Ember, derived from Night, changes one thing", list(row.takeTouched()), is: "ink")

    let newborn = Row()
    inbox.append(newborn)
    newborn.follow()
    line(
      "A row born later is dressed by its setter",
      "subscribers \(manager.subscriberCount), \(look(of: newborn))",
      is: "subscribers 2, paper #141824, ink #ffb070, corner 4"
    )
  }

  /// How a subscription ends: with its row, or by setting nil.
  private mutating func endSubscriptions() throws {
    var before = manager.subscriberCount
    inbox = []
    line(
      "When rows die their subscriptions do, with no deinit written",
      "subscribers \(before) → \(manager.subscriberCount)",
      is: "subscribers 2 → 0"
    )

    let row = Row()
    row.follow()
    before = manager.subscriberCount
    row.themeMap = nil
    _ = row.takeTouched()
    try manager.use(.day)
    line(
      "Set to nil, a row keeps its look through the next switch",
      "subscribers \(before) → \(manager.subscriberCount), touched \(list(row.takeTouched()))",
      is: "subscribers 1 → 0, touched nothing"
    )
  }

  private mutating func line(_ sentence: String, _ found: String, is expected: String) {
    print(checklist.line(sentence, found, is: expected))
  }

  private func look(of row: Row) -> String {
    "paper \(row.paper), ink \(row.ink), corner \(row.corner)"
  }

  private func list(_ words: [String]) -> String {
    words.isEmpty ? "nothing" : words.joined(separator: ", ")
  }
}
