import EventBus
import EventBusNATS
import Foundation

/// A process with a bridge, for tests that kill it.
///
///     NATSNode <url> <node> consume <stream> <consumer> [<number to hang at>]
///     NATSNode <url> <node> reconnect <stream> <consumer>
///     NATSNode <url> <node> present
///
/// It writes a line for each thing that happens: `ready`, `handling 3`, `handled 3`, `reconnected 1`.
@main
enum NATSNode {
  static func main() async throws {
    let arguments = CommandLine.arguments
    let (url, node, mode) = (arguments[1], arguments[2], arguments[3])
    endWithParent()
    var options = NATSConnection.Configuration()
    if mode == "reconnect" { options.reconnectPause = .milliseconds(1) }
    let nats = try await NATSConnection(
      urls: url.split(separator: ",").map(String.init),
      configuration: options
    )
    var configuration = EventBridge.Configuration()
    configuration.heartbeat = .milliseconds(100)
    configuration.handlingTimeout = .seconds(1)
    let bus = EventBus()
    let bridge = EventBridge(bus, over: nats, node: node, configuration: configuration)
    var token: Token?
    var states: Token?
    if mode == "reconnect" {
      states = nats.state.observe { change in
        if case .connected = change.new { say("reconnected \(nats.reconnectCount)") }
      }
    }
    if mode == "consume" || mode == "reconnect" {
      let event = ProcessInfo.processInfo.environment["NATS_NODE_EVENT"] ?? "test.number"
      let name = EventName<Int>(event)
      let hangsAt = arguments.count > 6 ? Int(arguments[6]) : nil
      token = bus.observe(name) { number in
        say("handling \(number)")
        if number == hangsAt { await hang() }
        say("handled \(number)")
      }
      bridge.carry(
        name,
        .incoming,
        delivery: .durable(stream: arguments[4], consumer: arguments[5])
      )
    }
    await bridge.waitUntilFlushed()
    say("ready")
    await hang()
    withExtendedLifetime((token, states)) {}
  }

  /// Waits until the process is killed.
  private static func hang() async {
    let (nothing, source) = AsyncStream<Never>.makeStream()
    for await _ in nothing {}
    withExtendedLifetime(source) {}
  }

  static func say(_ line: String) {
    FileHandle.standardOutput.write(Data("\(line)\n".utf8))
  }

  /// Ends the process when its standard input ends, as it does when the tests die.
  private static func endWithParent() {
    Thread.detachNewThread {
      // Each turn waits for input.
      while !FileHandle.standardInput.availableData.isEmpty {}  // Reason: reads to the end.
      exit(0)
    }
  }
}
