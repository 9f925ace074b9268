import EventBus
import EventBusNATS
import Foundation
import NATSServer
import Theming

extension EventNames {
  /// A skin was chosen; a process that starts later gets the last one.
  static let skinChosen = EventName<Choice>("skin.chosen", replay: 1)
}

/// The choice of a skin.
struct Choice: Codable, Sendable {
  let skin: String
  let by: String
}

/// One skin for several terminals: `SharedSkins [nats://host:port] [--node=name]`.
@main
@MainActor
enum SharedSkins {
  static func main() async throws {
    let arguments = CommandLine.arguments.dropFirst()
    let node =
      arguments.first { $0.hasPrefix("--node=") }.map { String($0.dropFirst(7)) }
      ?? "terminal-\(getpid())"
    var server: NATSServer?
    var url = arguments.first { !$0.hasPrefix("--") }
    if url == nil {
      let started = try NATSServer()
      (server, url) = (started, started.url)
    }
    let address = url ?? ""

    let bus = EventBus.default
    let manager = ThemeManager(skins[0], bus: bus)
    for skin in skins { manager.register(skin) }
    let screen = Screen(manager, node: node)

    // Before the bridge begins: the others may answer at once.
    let tokens = [
      bus.observe(.skinChosen) { @MainActor choice in
        do throws(ThemeError) {
          try manager.use(choice.skin)
          screen.draw("\(choice.skin), chosen by \(choice.by)")
        } catch {
          screen.draw("\(error)")
        }
      },
      bus.observe(.nodeDidJoin) { @MainActor other in
        screen.others.insert(other.name)
        screen.draw("\(other.name) joined")
      },
      bus.observe(.nodeDidLeave) { @MainActor other in
        screen.others.remove(other.name)
        screen.draw("\(other.name) left")
      },
    ]
    let nats = try await NATSConnection(address)
    let bridge = EventBridge(bus, over: nats, node: node)
    bridge.carry(.skinChosen, delivery: .durable(stream: "SKINS"))
    screen.invite("\(program()) \(address)")

    for await line in typedLines() {
      if line == "q" { break }
      guard let number = Int(line), skins.indices.contains(number - 1) else {
        screen.draw("There is no skin \(line)")
        continue
      }
      bus.post(.skinChosen, Choice(skin: skins[number - 1].name, by: node))
    }
    await bridge.drain()
    withExtendedLifetime((tokens, server)) {}
  }

  /// How to start this program: `swift run` would wait for the end of the first one.
  private static func program() -> String {
    let path = CommandLine.arguments[0]
    let folder = FileManager.default.currentDirectoryPath + "/"
    return path.hasPrefix(folder) ? String(path.dropFirst(folder.count)) : path
  }

  /// The lines of the standard input.
  private static func typedLines() -> AsyncStream<String> {
    let (lines, continuation) = AsyncStream<String>.makeStream()
    Thread.detachNewThread {
      while let line = readLine() { continuation.yield(line) }
      continuation.finish()
    }
    return lines
  }
}
