import Foundation
import Harness

/// `swift run -c release --package-path Benchmarks ThemingBenchmarks`; `--help` tells the arguments.
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
    let rows = Switching.rows + Subscribing.rows + Weighing.rows
    if options.helpsOnly {
      print(Options.usage)
    } else if options.listsOnly {
      for title in rows.flatMap(\.titles) { print(title) }
    } else {
      let runner = Runner(options: options, ours: .theming, report: note)
      let results = await runner.run(rows)
      guard !results.isEmpty else {
        note("No line has such a title; try --list.")
        return 2
      }
      print(Table(results, columns: Subject.columns).markdown)
      return results.isBroken ? 1 : 0
    }
    return 0
  }

  nonisolated private static func note(_ line: String) {
    FileHandle.standardError.write(Data("\(line)\n".utf8))
  }
}
