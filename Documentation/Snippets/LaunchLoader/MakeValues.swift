// Values that one worker makes and another one needs.

import LaunchLoader

actor Database {
  init(_ arguments: [String]) async throws {}
  func migrate(_ settings: Settings) async throws { print("migrate to \(settings.version)") }
  func close() {}
}

struct Settings: Sendable { var version = 1 }

extension LaunchKeys {
  static let database = LaunchKey<Database>("database")
  static let settings = LaunchKey<Settings>("settings")
}

LaunchLoader.register("migrate", needs: .database, .settings) { options, database, settings in
  try await database.migrate(settings)
}
LaunchLoader.register(.database, undo: { database in await database.close() }) { options in
  try await Database(options.arguments)
}
LaunchLoader.register(.settings) { options in Settings(version: options.arguments.count) }

try await LaunchLoader.shared.launch()
let database = try await LaunchLoader.shared.value(of: .database)  // from anywhere
// snippet.hide
let settings = try await LaunchLoader.shared.value(of: .settings)
precondition(settings.version == CommandLine.arguments.count)
withExtendedLifetime(database) {}
