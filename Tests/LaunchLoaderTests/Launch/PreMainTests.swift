#if os(Linux) || os(macOS)
import LaunchLoader
import TestSupport
import Testing

@Suite("Registration before main")
struct PreMainTests {
  @Test("Three independent modules register before main; each runs once, in order")
  func runsOnce() throws {
    let result = try Program("PreMainFixture")
      .run(["a", "b"], environment: ["PRE_MAIN_FIXTURE=the test"])
    #expect(result.status == 0)
    #expect(
      result.output == """
        main begins
        logging started with a b
        analytics started in the test
        upload of 2.log
        posted again, reached 0
        analytics, registered in PreMainAnalytics/Analytics.swift:11, finished
        analytics, registered in PreMainAnalytics/Analytics.swift:16, duplicate of analytics
        crash reports, registered in PreMainCrashReports/CrashReports.swift:19, \
        failed: server is unreachable
        log file, registered in PreMainLogging/Logging.swift:14, finished
        logging, registered in PreMainLogging/Logging.swift:11, finished
        upload, registered in PreMainAnalytics/Analytics.swift:18, finished
        theme: Day

        """
    )
  }

  @Test("3,000 workers that were registered before main all run")
  func crowd() throws {
    let process = try Program("PreMainCrowd").run()
    #expect(process.status == 0)
    let words = process.output.split(whereSeparator: \.isWhitespace)
    #expect(words.prefix(4).joined(separator: " ") == "3000 of 3000 workers,")
  }
}
#endif
