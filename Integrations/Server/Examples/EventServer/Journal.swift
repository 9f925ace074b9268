import EventBus
import Foundation
import LaunchLoader

/// The database of the program: a file to which each order is appended.
actor Journal {
  private let file: FileHandle?

  /// Opens the journal; without a path nothing is kept.
  init(path: String?) throws {
    guard let path else {
      file = nil
      return
    }
    if !FileManager.default.fileExists(atPath: path) {
      try Data().write(to: URL(filePath: path))
    }
    file = try FileHandle(forWritingTo: URL(filePath: path))
    // A device has no end to go to.
    _ = try? file?.seekToEnd()
  }

  /// Appends an order.
  func append(_ order: Order) throws {
    try file?.write(contentsOf: JSONEncoder().encode(order) + Data("\n".utf8))
  }

  /// Closes the journal.
  func close() { try? file?.close() }
}

/// Writes each order to the journal, which launch work has opened.
///
/// A write that fails ends the program: orders must not be lost in silence.
struct JournalService: AppService {
  let serviceName = "journal"
  let bus: EventBus

  func run(_ context: AppServiceContext) async throws {
    let journal = try await context.value(of: .journal)
    let orders = bus.events(.orderPlaced, until: context.lifetime)
    context.markReady()
    do {
      for await order in orders { try await journal.append(order) }
    } catch {
      await journal.close()
      throw error
    }
    await journal.close()
  }
}

/// Makes the program ready when its standard input has ended, if an option requests that.
struct WarmUp: AppService {
  let serviceName = "warm-up"

  func run(_ context: AppServiceContext) async throws {
    if try await context.value(of: .settings).readyAfterInput {
      let (input, continuation) = AsyncStream<Void>.makeStream()
      // Reading blocks, so it has its own thread.
      Thread.detachNewThread {
        _ = try? FileHandle.standardInput.readToEnd()
        continuation.finish()
      }
      try await context.cancelOnShutdown { for await _ in input {} }
    }
    context.markReady()
    try await context.waitUntilShutdown()
  }
}
