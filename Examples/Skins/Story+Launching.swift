import EventBus
import LaunchLoader

extension Story {
  /// Launch work, registered by the files of the features before `main`.
  func tellOfLaunching() async throws {
    let diary = Diary.shared
    let report = try await app.loader.report
    line(
      "The launch runs the work of each feature, once, in its order",
      list(diary.notes.filter { $0 != "logbook" }),
      is: "palette, theme files"
    )
    line(
      "Each came from its own file, and nobody lists them",
      list(report.entries.map { "\($0.fileID)" }.sorted()),
      is: "skins/Logbook.swift, skins/Palette.swift, skins/ThemeShelf.swift"
    )
    app.bus.post(.didFinishLaunching, .current)
    line("The launch event again runs nothing", "\(diary.notes.count) ran", is: "3 ran")

    let late = LaunchLoader.register("late") { _ in diary.note("late") }
    let outcome = try await late.wait()
    line("Work registered after the launch runs at once", "\(outcome)", is: "finished")
    line(
      "By now the application has been through its states",
      list(diary.takeStates()),
      is: "launching, inactive, active"
    )
  }
}
