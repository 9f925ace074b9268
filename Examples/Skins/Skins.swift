import LaunchLoader
import Terminal

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#elseif canImport(Glibc)
import Glibc
#else
#error("Unknown C library: add it here.")
#endif

/// Demonstrates EventBus, LaunchLoader and Theming: as two interactive screens on a terminal, as two stories
/// elsewhere, and as a picture on request.
@main
@MainActor
enum Skins {
  static func main() async {
    let options: Options
    do throws(Options.Problem) {
      options = try Options(CommandLine.arguments.dropFirst())
    } catch {
      complain("\(error)\n\(Options.usage)")
      exit(2)
    }
    do {
      let status = try await run(options)
      // Output that could not be written is a failure.
      exit(fflush(nil) == 0 ? status : 1)
    } catch {
      complain("\(error)\n")
      exit(1)
    }
  }

  private static func run(_ options: Options) async throws -> Int32 {
    var configuration = AppHost.Configuration()
    var launch = LaunchOptions.current
    launch[ThemesFolder.self] = options.themes
    configuration.launchOptions = launch
    let app = AppHost(configuration: configuration)
    switch options.mode {
    case .help:
      print(Options.usage, terminator: "")
      return 0
    case .usual where isOnTerminal(launch.environment):
      let depth = ColorDepth(options.color, environment: launch.environment)
      let screen = TerminalScreen(app, options, depth)
      #if INSPECTOR  // In Integrations/Inspector, where another file has this function.
      screen.notice = try inspect(app)
      #endif
      return try await screen.run()
    case .usual where options.isAboutEvents, .story where options.isAboutEvents:
      return await EventStory.tell()
    case .usual, .story: return try await Story(app, themes: options.themes).run()
    case .svg(let path): return try await Gallery(app).write(to: path)
    }
  }

  /// Returns a Boolean value that indicates whether the program runs on a terminal with a movable cursor.
  private static func isOnTerminal(_ environment: [String: String]) -> Bool {
    let kind = environment["TERM", default: ""]
    let hasCursor = !kind.isEmpty && kind != "dumb"
    return hasCursor && TerminalDevice.isTerminal(0) && TerminalDevice.isTerminal(1)
  }

  private static func complain(_ text: String) {
    _ = TerminalDevice.write(Array("skins: \(text)".utf8), to: 2)
  }
}
