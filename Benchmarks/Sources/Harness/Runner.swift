internal import Synchronization

/// Runs rows: prepares every subject, then takes turns, so that all run under the same load.
public struct Runner: Sendable {
  private let options: Options
  private let ours: Subject
  private let report: @Sendable (String) -> Void

  /// Makes a runner.
  ///
  /// - Parameters:
  ///   - options: The options of the command line.
  ///   - ours: The project's own column.
  ///   - report: Receives the title of each row when it begins.
  public init(options: Options, ours: Subject, report: @escaping @Sendable (String) -> Void) {
    self.options = options
    self.ours = ours
    self.report = report
  }

  /// Measures the rows that the options select, in order.
  @MainActor
  public func run(_ rows: [Row]) async -> Results {
    var results = Results()
    for row in rows {
      let figures = row.figures.filter(options.selects)
      guard let title = figures.first?.title else { continue }
      report(title)
      let samples = await measure(row)
      for figure in figures {
        let line = samples.mapValues { Samples($0).divided(by: figure.divisor) }
        results.append(Line(figure: figure, ours: ours, samples: line))
      }
    }
    return results
  }

  /// Runs the selected subjects of the selected rows for a profiler: once to warm up, and once to be counted.
  @MainActor
  public func runOnce(_ rows: [Row], iterations: Int) async {
    for row in rows {
      guard let figure = row.figures.first(where: options.selects) else { continue }
      // Fewer of a row that does much in each: callgrind takes fifty times as long as the processor.
      let parts = row.figures.map(\.divisor).max() ?? 1
      let fewer = min(iterations, max(10, Int(Double(iterations) * 10 / parts)))
      let iterations = row.pace.isCalibrated ? fewer : 1
      for entry in row.entries where options.selects(entry.subject) {
        report("\(figure.title): \(entry.subject.name), \(iterations) iterations")
        let work = entry.prepare()
        if row.pace.warmsUp { _ = await work(iterations) }
        let units = Double(iterations) * figure.divisor
        let title = "\(figure.title)|\(entry.subject.name)|\(Int(units))"
        Instructions.title.withLock { $0 = title }
        _ = await work(iterations)
        Instructions.title.withLock { $0 = nil }
      }
    }
  }

  @MainActor
  private func measure(_ row: Row) async -> [Subject: [Double]] {
    let entries = row.entries.filter { options.selects($0.subject) }
    var samples: [Subject: [Double]] = [:]
    switch row.pace {
    case .counted, .first:
      for entry in entries { samples[entry.subject] = [await entry.prepare()(1)] }
    case .single, .calibrated, .long:
      let works = entries.map { (subject: $0.subject, work: $0.prepare()) }
      var iterations: [Int] = []
      for work in works {
        iterations.append(row.pace.isCalibrated ? await calibrate(work.work, row.pace) : 1)
      }
      for round in 0..<options.rounds {
        for turn in works.indices {
          // Another one begins each round, so that none always follows the same one.
          let index = (turn + round) % works.count
          let value = await works[index].work(iterations[index])
          samples[works[index].subject, default: []].append(value)
        }
      }
    }
    return samples
  }

  /// The number of iterations that fill one sample; also warms up.
  ///
  /// The shorter of two tries counts: in a single one, another program may have taken the processor.
  @MainActor
  private func calibrate(_ work: Entry.Sample, _ pace: Row.Pace) async -> Int {
    let goal = options.sampleTime * (pace == .long ? 5 : 1)
    var iterations = 1
    while true {
      var time = await realTime(of: work, iterations)
      if time >= goal / 4 { time = min(time, await realTime(of: work, iterations)) }
      if time >= goal / 4 {
        return max(1, Int(Double(iterations) * goal / time))
      }
      iterations *= 2
    }
  }

  @MainActor
  private func realTime(of work: Entry.Sample, _ iterations: Int) async -> Double {
    let start = ContinuousClock.now
    _ = await work(iterations)
    return (ContinuousClock.now - start).nanoseconds
  }
}

extension Row.Pace {
  /// Whether the length of a sample decides the number of its iterations.
  fileprivate var isCalibrated: Bool {
    switch self {
    case .calibrated, .long: true
    case .single, .counted, .first: false
    }
  }

  /// Whether later runs are the ones that count.
  fileprivate var warmsUp: Bool {
    switch self {
    case .calibrated, .long, .single: true
    case .counted, .first: false
    }
  }
}
