import EventBus
import EventBusTesting
import LaunchLoader
import TestSupport
import Testing

@Suite("Launch report")
struct LaunchReportTests {
  @Test("Starts, durations and the total are measured on the injected clock")
  func times() async throws {
    let clock = ManualClock()
    let loader = LaunchLoader(clock: clock)
    loader.register { _ in clock.jump(by: .milliseconds(3)) }
    loader.register { _ in
      clock.jump(by: .milliseconds(4))
      throw Broken()
    }
    loader.register { @SampleActor _ in clock.jump(by: .milliseconds(5)) }
    loader.register { _ in
      await Task.yield()
      clock.jump(by: .milliseconds(6))
    }
    clock.jump(by: .seconds(1_000))
    let report = try await loader.launch()
    #expect(report.entries.map(\.start) == [0, 3, 7, 12].map { .milliseconds($0) })
    #expect(report.entries.map(\.duration) == [3, 4, 5, 6].map { .milliseconds($0) })
    #expect(report.total == .milliseconds(18))
  }

  @Test("The clock is not read before the launch")
  func clockBeforeLaunch() {
    let clock = ReadClock()
    let loader = LaunchLoader(clock: clock)
    loader.register { _ in }
    let bus = EventBus()
    let attachment = loader.attach(to: bus)
    #expect(clock.readings.value == 0)
    bus.post(.didFinishLaunching, LaunchOptions())
    #expect(clock.readings.value > 0)
    withExtendedLifetime(attachment) {}
  }

  @Test("A report names both places of each of many duplicates")
  func manyDuplicates() {
    let count = size(1_000, full: 20_000)
    let originals = (0..<count).map { entry(LaunchID("\($0)")) }
    let last = originals[count - 1].id
    let duplicates = (0..<count).map { _ in
      entry(last, fileID: "App/B.swift", line: 9, .duplicate(of: last))
    }
    let text = LaunchReport(rows: originals + duplicates, total: .zero).description
    let place = "  at App/B.swift:9, registered first at App/File.swift:1"
    #expect(text.split(separator: "\n").count { $0 == place } == count)
  }

  @Test("The description is a bar chart by start and duration, with problems below")
  func chart() {
    let report = LaunchReport(
      rows: [
        entry("logging", duration: .milliseconds(4)),
        entry("analytics", start: .milliseconds(4), duration: .milliseconds(6), .failed(Broken())),
        entry("quick", start: .milliseconds(12), duration: .nanoseconds(7)),
        entry("logging", fileID: "App/Other.swift", line: 9, .duplicate(of: "logging")),
        entry("late", .skipped(because: "analytics")),
        entry("App/SomeVeryLongFileName.swift:120#2", .skipped(because: nil)),
      ],
      total: .milliseconds(12)
    )
    #expect(
      report.description == """
        6 launch workers in 12 ms
        logging                      ██████████                          4 ms
        analytics                              ███████████████           6 ms failed
          broken
        quick                                                     █      7 ns
        logging                                                          0 ns duplicate
          at App/Other.swift:9, registered first at App/File.swift:1
        late                                                             0 ns skipped
          because of analytics
        …eryLongFileName.swift:120#2                                     0 ns skipped
        """
    )
  }

  @Test("No line of the chart exceeds 80 columns, for any errors, names and clocks")
  func width() {
    struct Verbose: Error, CustomStringConvertible {
      var description: String { String(repeating: "no ", count: 100) + "\n\n" + "second line" }
    }
    let entries = [
      entry(LaunchID(String(repeating: "x", count: 200)), duration: .seconds(1_000_000), .timedOut),
      entry("two\nlines", start: .seconds(-5), duration: .seconds(-1), .failed(Verbose())),
      entry(
        "",
        start: .seconds(3_000_000),
        duration: .milliseconds(999) + .microseconds(999),
        .undone
      ),
      entry("a", .refused),
    ]
    for total in [Duration.zero, .seconds(-1), .nanoseconds(1), .seconds(2_000_000)] {
      let lines = LaunchReport(rows: entries, total: total).description.split(separator: "\n")
      #expect(lines.allSatisfy { $0.count <= 80 })
      #expect(lines.contains("  second line"))
    }
  }

  @Test(
    "Durations are printed in a suitable unit",
    arguments: [
      (.zero, "0 ns"), (.nanoseconds(999), "999 ns"), (.nanoseconds(1_500), "1.50 µs"),
      (.microseconds(1_050), "1.05 ms"), (.milliseconds(12), "12 ms"),
      (.milliseconds(1_234), "1.23 s"),
      (.seconds(90), "90 s"), (.seconds(3_600), "3600 s"), (.milliseconds(-2), "-2 ms"),
    ] as [(Duration, String)]
  )
  func units(duration: Duration, text: String) {
    let title = LaunchReport(rows: [], total: duration).description
    #expect(title == "0 launch workers in \(text)")
  }

  private func entry(
    _ id: LaunchID,
    fileID: StaticString = "App/File.swift",
    line: UInt = 1,
    start: Duration = .zero,
    duration: Duration = .zero,
    _ outcome: LaunchOutcome = .finished
  ) -> LaunchMachine.Row {
    .ended(id, fileID: fileID, line: line, start: start, duration: duration, outcome)
  }
}
