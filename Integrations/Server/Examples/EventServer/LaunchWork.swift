import EventBus
import Foundation
import LaunchLoader
import Logging

/// The options of the command line.
struct Settings: Sendable {
  /// The port on the loopback interface; zero lets the system choose.
  var port = 8_080
  /// The number of events that may wait for one stream.
  var buffer = 1_000
  /// The number of bytes of a body.
  var maximumBody = 64 * 1_024
  /// The file of the journal.
  var journal: String?
  /// The number of seconds that a client may take for a request.
  var requestTime = 5
  /// The seconds between the request to stop and the end of the listener, during which `/health` responds with 503:
  /// the time in which a load balancer takes the program off its list.
  var drainDelay = 0
  /// Whether the program is ready only after its standard input has ended.
  var readyAfterInput = false

  /// The largest number of seconds for which the listener may stay open, less than the program has for its stop.
  static let longestDrain = 6

  /// An unknown argument, or an argument or a variable of the environment with an invalid value.
  struct WrongArgument: Error, CustomStringConvertible {
    let description: String
  }

  /// Reads the arguments of the program.
  init(_ options: LaunchOptions) throws {
    for argument in options.arguments.dropFirst() {
      let parts = argument.split(separator: "=", maxSplits: 1).map(String.init)
      switch (parts[0], parts.dropFirst().first) {
      case ("--port", let value?): port = try Self.number(argument, value, in: 0...65_535)
      case ("--buffer", let value?): buffer = try Self.number(argument, value, in: 1...1_000_000)
      case ("--maximum-body", let value?):
        maximumBody = try Self.number(argument, value, in: 0...1_000_000_000)
      case ("--request-time", let value?):
        requestTime = try Self.number(argument, value, in: 1...3_600)
      case ("--drain-delay", let value?):
        drainDelay = try Self.number(argument, value, in: 0...Self.longestDrain)
      case ("--journal", let value?): journal = value
      case ("--ready-after-input", nil): readyAfterInput = true
      case ("--ends-with-parent", nil), ("--inspect", nil): break
      default: throw WrongArgument(description: "unknown argument: \(argument)")
      }
    }
  }

  private static func number(
    _ argument: String,
    _ value: String,
    in range: ClosedRange<Int>
  ) throws -> Int {
    guard let number = Int(value), range.contains(number) else {
      let limits = "give a number from \(range.lowerBound) to \(range.upperBound)"
      throw WrongArgument(description: "\(argument) is not possible: \(limits)")
    }
    return number
  }

  /// Whether the program ends with its parent process, which is needed before the launch.
  static var endsWithParent: Bool { CommandLine.arguments.contains("--ends-with-parent") }

  /// Whether the program serves the page of the inspector, which is needed before the launch.
  static var isInspected: Bool { CommandLine.arguments.contains("--inspect") }

  /// The level of the program's log, which is needed before the launch: `LOG_LEVEL`, or `info`.
  static var logLevel: Logger.Level {
    get throws(WrongArgument) {
      guard let name = ProcessInfo.processInfo.environment["LOG_LEVEL"], !name.isEmpty else {
        return .info
      }
      if let level = Logger.Level(rawValue: name.lowercased()) { return level }
      let names = Logger.Level.allCases.map(\.rawValue).joined(separator: ", ")
      throw WrongArgument(description: "LOG_LEVEL=\(name) is not possible: give one of \(names)")
    }
  }
}

extension LaunchKeys {
  static let settings = LaunchKey<Settings>("settings")
  static let journal = LaunchKey<Journal>("journal")
}

// Runs before `main`. No list names this file.
#if objectFormat(MachO)
@section("__DATA,__mod_init_func,mod_init_funcs") @used
#else
@section(".init_array") @used
#endif
private let entry: LaunchEntry = { register() }

private func register() {
  LaunchLoader.register(.settings) { options in try Settings(options) }
  LaunchLoader.register(.journal, needs: .settings, undo: { await $0.close() }) { _, settings in
    try Journal(path: settings.journal)
  }
}
