import Foundation
import LaunchLoader

/// Announces the text files of a spool directory, line by line, until it is asked to stop.
@main
enum Daemon {
  static func main() async {
    // A write to a closed pipe or socket throws an error then, instead of ending the process without a word.
    signal(SIGPIPE, SIG_IGN)

    let arguments: Arguments
    do {
      arguments = try Arguments(CommandLine.arguments.dropFirst())
    } catch {
      log("\(error)\n\(Arguments.usage)")
      exit(EX_USAGE)
    }
    if arguments.wantsHelp {
      print(Arguments.usage)
      exit(EX_OK)
    }
    exit(await run(arguments))
  }

  /// Runs the program, and returns its exit code.
  private static func run(_ arguments: Arguments) async -> Int32 {
    let configuration = AppHost.Configuration(
      stopTimeout: .seconds(20),
      cancelTimeout: .seconds(5),
      onMessage: { log("\($0)") }
    )
    let app = AppHost(configuration: configuration)
    app.loader.register(.settings) { _ in
      do {
        return try SettingsFile(arguments.settings, reloadedBy: app.bus)
      } catch {
        app.shutdown(exitCode: EX_CONFIG)
        throw error
      }
    }
    app.loader.register(.spoolLock, needs: .settings, close: { await $0.release() }) { _, file in
      do {
        let lock = SpoolLock()
        try await lock.take(file.current.spool)
        return lock
      } catch {
        app.shutdown(exitCode: EX_TEMPFAIL)
        throw error
      }
    }
    // A spool that is away may return: the pauses are 0.5, 1 and 2 seconds.
    let policy = RestartPolicy(pause: .milliseconds(500), limit: 3)
    let options = AppServiceOptions(onThrow: .restart(policy), reportsReadiness: true)
    do {
      try app.add(Announcer(bus: app.bus), options: options)
      return try await app.run()
    } catch {
      log("\(error)")
      return EX_SOFTWARE
    }
  }
}

/// Writes a line to standard error, unbuffered.
func log(_ line: String) {
  // Nothing can be done about a log that is gone; the work goes on.
  try? FileHandle.standardError.write(contentsOf: Data("daemon: \(line)\n".utf8))
}
