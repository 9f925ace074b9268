// A database, its migrations, and a service that uses it until the end.

import LaunchLoader

// snippet.hide
import Synchronization
// snippet.show
/// A client with a pool of connections, such as `PostgresClient` of PostgresNIO.
protocol DatabaseClient: Sendable {
  /// Keeps the connections until the task is cancelled.
  func run() async
  func query(_ text: String) async throws
}

struct Database: AppService {
  let client: any DatabaseClient

  func run(_ context: AppServiceContext) async throws {
    try await withThrowingTaskGroup { group in
      group.addTask { await client.run() }
      try await client.query("SELECT 1")
      context.markReady()
      try await context.waitUntilShutdown()
      group.cancelAll()  // closes the connections: every service that uses them has ended
    }
  }
}

struct Migrations: AppService {
  let client: any DatabaseClient

  func run(_ context: AppServiceContext) async throws {
    try await client.query("CREATE TABLE IF NOT EXISTS orders (id BIGINT PRIMARY KEY)")
    context.markReady()
  }
}

func add(_ client: any DatabaseClient, to app: AppHost) throws {
  try app.add(
    Database(client: client),
    named: "database",
    options: AppServiceOptions(reportsReadiness: true, startTimeout: .seconds(30))
  )
  try app.add(
    Migrations(client: client),
    named: "migrations",
    options: AppServiceOptions(after: ["database"], onReturn: .ignore, reportsReadiness: true)
  )
  let options = AppServiceOptions(after: ["database", "migrations"], stopTimeout: .seconds(10))
  try app.add("orders", options: options) { context in
    try await context.waitUntilShutdown()
    try await client.query("DELETE FROM locks")  // the database is still there
  }
}

// snippet.hide
final class Memory: DatabaseClient {
  let log = Mutex<[String]>([])
  func run() async {
    try? await Task.sleep(for: .seconds(60))
    note("closed")
  }
  func query(_ text: String) async throws { note("\(text.prefix(6))") }
  func note(_ entry: String) { log.withLock { $0.append(entry) } }
}

let memory = Memory()
let shop = AppHost(loader: LaunchLoader())
try add(memory, to: shop)
let trading = Task { try await shop.run() }
try await shop.waitUntil(state: .active)
shop.shutdown()
let shopCode = try await trading.value
precondition(shopCode == 0)
precondition(memory.log.withLock { $0 } == ["SELECT", "CREATE", "DELETE", "closed"])
