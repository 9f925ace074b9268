import Foundation
import Harness

/// `swift run -c release --package-path Benchmarks`; `--help` tells the arguments.
@main
@MainActor
enum Program {
  static func main() async {
    do {
      exit(await run(try Options(CommandLine.arguments.dropFirst())))
    } catch {
      note("\(error)")
      exit(2)
    }
  }

  private static func run(_ options: Options) async -> Int32 {
    let counts = Heap.isCounted ? Memory.rows + Counts.rows + Properties.counts : []
    let posts = Posting.rows + Owners.rows + Senders.rows + Hooks.rows
    let alone = posts + Registering.rows + Replaying.rows + Properties.rows + Collections.rows
    let later = Streams.rows + Later.rows + Timers.rows
    let launching = Launching.rows + Signals.rows
    let rows = alone + later + Seeing.rows + Threads.rows + launching + counts
    let runner = Runner(options: options, ours: .eventBus, report: note)
    if options.helpsOnly {
      print(Options.usage)
    } else if options.listsOnly {
      for title in rows.flatMap(\.titles) { print(title) }
    } else if let iterations = options.onceIterations {
      await runner.runOnce(rows, iterations: iterations)
    } else {
      if !Heap.isCounted { note("The heap cannot be counted here: no rows about memory.") }
      let before = load()
      let results = await runner.run(rows)
      guard !results.isEmpty else {
        note("No line has such a title; try --list.")
        return 2
      }
      print(Table(results, columns: Subject.columns).markdown)
      print("Load average \(before) before, \(load()) after, on \(processors) processors.")
      return results.isBroken ? 1 : 0
    }
    return 0
  }

  private static var processors: Int { ProcessInfo.processInfo.activeProcessorCount }

  /// What else the machine is doing: above 1 or so, the times are not worth quoting.
  private static func load() -> String {
    var averages = [0.0]
    guard unsafe getloadavg(&averages, 1) == 1 else { return "unknown" }  // Reason: room for one.
    return String(format: "%.1f", averages[0])
  }

  nonisolated private static func note(_ line: String) {
    FileHandle.standardError.write(Data("\(line)\n".utf8))
  }
}
