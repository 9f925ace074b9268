import EventBus
import Foundation
import LaunchLoader

extension EventNames {
  static let spoolIsDue = EventName<Void>("spool.isDue")
}

/// Prints the lines of one file after the other in the spool, and removes each file after its last line.
///
/// A file whose announcement was interrupted is announced again from its beginning. Names that begin with a dot
/// are left alone: write a file under such a name, and rename it when it is complete.
struct Announcer: AppService {
  let bus: EventBus

  func run(_ context: AppServiceContext) async throws {
    let file = try await context.value(of: .settings)
    let lock = try await context.value(of: .spoolLock)
    let due = bus.events(.spoolIsDue, buffering: .bufferingNewest(1), until: context.lifetime)
    every(.seconds(1)) { _ in bus.post(.spoolIsDue) }.attach(to: context.lifetime)
    bus.post(.spoolIsDue)

    var unreadable: Set<URL> = []
    for await _ in due {
      // A reload during the pass may name another directory, which has no files of these names.
      let spool = await file.current.spool
      try await lock.take(spool)
      let names = try FileManager.default.contentsOfDirectory(atPath: spool)
      context.markReady()
      for name in names.sorted() where !name.hasPrefix(".") {
        if context.isShuttingDown { return }
        let item = URL(filePath: spool).appending(path: name)
        if unreadable.contains(item) { continue }
        let settings = await file.current
        guard let text = try? String(contentsOf: item, encoding: .utf8) else {
          unreadable.insert(item)
          log("\(name) cannot be read as text; it stays in the spool")
          continue
        }
        try await announce(text, settings, context)
        try FileManager.default.removeItem(at: item)
        log("\(name) is done")
      }
    }
  }

  /// Prints the lines of a text, with a pause after each.
  ///
  /// A request to stop ends the pauses, and not the text.
  private func announce(
    _ text: String,
    _ settings: Settings,
    _ context: AppServiceContext
  ) async throws {
    for line in text.split(whereSeparator: \.isNewline) {
      try FileHandle.standardOutput.write(contentsOf: Data("\(settings.label): \(line)\n".utf8))
      try await context.unlessShuttingDown { try await Task.sleep(for: .seconds(settings.pause)) }
    }
  }
}
