internal import Foundation

/// The rows of one program, and the handling of its arguments.
public struct Suite: Sendable {
  private let ours: Subject
  private let columns: [Subject]
  private let rows: [Row]

  /// Makes a suite.
  ///
  /// - Parameters:
  ///   - ours: The project's own column, the first.
  ///   - peers: The other columns, from left to right.
  ///   - rows: The measured rows, in order.
  public init(ours: Subject, peers: [Subject], rows: [Row]) {
    self.ours = ours
    columns = [ours] + peers
    self.rows = rows
  }

  /// Performs the command of the command line, and ends the program with its status.
  @MainActor
  public func main() async -> Never {
    do {
      exit(await run(try Options(CommandLine.arguments.dropFirst())))
    } catch {
      note("\(error)")
      exit(2)
    }
  }

  @MainActor
  private func run(_ options: Options) async -> Int32 {
    let measurable = rows.filter { Heap.isCounted || !$0.needsHeap }
    let runner = Runner(options: options, ours: ours, report: note)
    if options.helpsOnly {
      print(Options.usage(of: ours))
    } else if options.listsOnly {
      for title in measurable.flatMap(\.titles) { print(title) }
    } else if let iterations = options.onceIterations {
      await runner.runOnce(measurable, iterations: iterations)
    } else {
      if measurable.count < rows.count {
        note("The heap cannot be counted here: no rows about memory.")
      }
      let before = load()
      let results = await runner.run(measurable)
      guard !results.isEmpty else {
        note("No line has such a title; try --list.")
        return 2
      }
      print(Table(results, columns: columns).markdown)
      print("Load average \(before) before, \(load()) after, on \(processors) processors.")
      return results.isBroken ? 1 : 0
    }
    return 0
  }
}

private var processors: Int { ProcessInfo.processInfo.activeProcessorCount }

/// The load of the machine: above about 1, the times are unreliable.
private func load() -> String {
  var averages = [0.0]
  guard unsafe getloadavg(&averages, 1) == 1 else { return "unknown" }  // Reason: room for one.
  return String(format: "%.1f", averages[0])
}

private func note(_ line: String) {
  FileHandle.standardError.write(Data("\(line)\n".utf8))
}
