import EventBus
import Foundation
import Inspector
import LaunchLoader
import Theming

/// A mail program without a screen, to look at with the inspector.
///
///     InspectedMail [--inspect[=PORT]] [--trace FILE] [--save FILE] [--seconds N] [--patient] [SCENE]
///
/// Without a choice it posts steadily, and shows a bit of everything: nested and queued posts, actors, a slow
/// handler, skips, launch work, services and themes.
@main
enum InspectedMail {
  static func main() async {
    do {
      let options = try Options(CommandLine.arguments.dropFirst())
      exit(try await run(options))
    } catch {
      FileHandle.standardError.write(Data("InspectedMail: \(error)\n\(Options.usage)\n".utf8))
      exit(2)
    }
  }

  private static func run(_ options: Options) async throws -> Int32 {
    let bus = EventBus(label: "mail")
    let app = AppHost(
      bus: bus,
      configuration: AppHost.Configuration(
        stopTimeout: options.isPatient ? nil : .seconds(3),
        endsWithParent: true
      )
    )
    let inspector =
      options.isInspected
      ? Inspector(bus, app: app, port: options.port, describing: Mail.describe) { url in
        print("Inspector: \(url)")
        fflush(nil)
      } : nil
    let launch = app.loader.attach(to: bus)
    if options.scene != .quiet { Mail.registerLaunchWork(in: app.loader) }
    if let inspector, options.isServed { try app.add(inspector) }
    try app.add(Database(), options: AppServiceOptions(reportsReadiness: true))
    try app.add(
      Mailbox(bus: bus, scene: options.scene),
      options: AppServiceOptions(after: ["database"])
    )
    try app.add(
      "search index",
      options: AppServiceOptions(
        after: ["database"],
        onThrow: .ignore,
        reportsReadiness: options.scene != .fail
      )
    ) { context in
      try await Task.sleep(for: .milliseconds(400))
      if options.scene == .fail { throw MailError(text: "the index is damaged: page 17") }
      context.markReady()
      try await context.waitUntilShutdown()
    }
    if let seconds = options.seconds {
      let stop = after(.seconds(seconds)) { _ in app.shutdown() }
      defer { stop.cancel() }
      return try await finish(app, launch, inspector, options)
    }
    return try await finish(app, launch, inspector, options)
  }

  private static func finish(
    _ app: AppHost,
    _ launch: Token,
    _ inspector: Inspector?,
    _ options: Options
  ) async throws -> Int32 {
    let code = try await app.run()
    launch.cancel()
    if let path = options.trace { try inspector?.saveTrace(to: path) }
    if let path = options.save { try inspector?.save(to: path) }
    return code
  }
}

/// The options of the command line.
struct Options {
  /// The behavior that the program shows.
  enum Scene: String {
    case usual, quiet, busy, leak, fail
  }

  static let usage = """
    Usage: InspectedMail [--inspect[=PORT]] [--trace FILE] [--save FILE] [--seconds N] [SCENE]

      --inspect[=PORT]  serve the page of the inspector, and print its address
      --trace FILE      write a trace for Perfetto at the end
      --save FILE       write the page with its data at the end
      --seconds N       stop after this time; otherwise with Control-C
      --patient         wait for the services at the end, however long they take
      SCENE             --quiet, --busy, --leak or --fail
    """

  var isServed = false
  var port = 0
  var trace: String?
  var save: String?
  var seconds: Int?
  var isPatient = false
  var scene = Scene.usual

  var isInspected: Bool { isServed || trace != nil || save != nil }

  init(_ arguments: some Sequence<String>) throws {
    var rest = Array(arguments)[...]
    func value(_ given: Substring?, of name: Substring) throws -> String {
      guard let value = given.map(String.init) ?? rest.popFirst(), !value.isEmpty else {
        throw MailError(text: "\(name) needs a value")
      }
      return value
    }
    while let argument = rest.popFirst() {
      let parts = argument.split(separator: "=", maxSplits: 1)
      let name = parts.first ?? ""
      let given = parts.count > 1 ? parts[1] : nil
      switch name {
      case "--inspect":
        isServed = true
        if let given {
          guard let port = Int(given) else { throw MailError(text: "\(given) is not a port") }
          self.port = port
        }
      case "--trace": trace = try value(given, of: name)
      case "--save": save = try value(given, of: name)
      case "--patient": isPatient = true
      case "--seconds": seconds = Int(try value(given, of: name))
      default:
        guard name.hasPrefix("--"), let scene = Scene(rawValue: String(name.dropFirst(2))) else {
          throw MailError(text: "unknown argument \(argument)")
        }
        self.scene = scene
      }
    }
  }
}

/// An error with a text.
struct MailError: Error, CustomStringConvertible {
  let text: String
  var description: String { text }
}
