import EventBus
import LaunchLoader

extension Story {
  /// Checks launch work that the files of the features register before `main`.
  func checkLaunching() async throws {
    let diary = Diary.shared
    let report = try await app.loader.report()
    line(
      "The launch runs the work of each feature once, in order",
      list(diary.notes.filter { $0 != "logbook" }),
      is: "palette, theme files"
    )
    line(
      "Each feature registers in its own file, without a central list",
      list(report.entries.map { $0.site.fileID }.sorted()),
      is: "skins/Logbook.swift, skins/Palette.swift, skins/ThemeShelf.swift"
    )
    app.bus.post(.didFinishLaunching, .current)
    line("A second launch event runs nothing", "\(diary.notes.count) ran", is: "3 ran")

    let late = LaunchLoader.register("late") { _ in diary.note("late") }
    let outcome = try await late.waitUntilFinished()
    line("Work registered after the launch runs immediately", "\(outcome)", is: "finished")
    line(
      "The application has passed through its states",
      list(diary.takeStates()),
      is: "launching, inactive, active"
    )
  }
}
