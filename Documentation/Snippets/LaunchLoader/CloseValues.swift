// A value of launch work that is closed after the services have stopped.

import LaunchLoader

actor Database {
  func query(_ text: String) { print("query: \(text)") }
  func close() throws { print("the database is closed") }
}

extension LaunchKeys { static let database = LaunchKey<Database>("database") }

LaunchLoader.register(.database, close: { database in try await database.close() }) { options in
  Database()
}

let app = AppHost()
try app.add("orders") { context in
  let database = try await context.value(of: .database)
  try await context.waitUntilShutdown()
  await database.query("DELETE FROM locks")  // the database is still open
}
// snippet.hide

let running = Task { try await app.run() }
try await app.waitUntil(state: .active)
app.shutdown()
let code = try await running.value
precondition(code == 0)
