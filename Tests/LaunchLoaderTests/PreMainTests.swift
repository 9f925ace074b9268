#if canImport(Glibc)
import LaunchLoader
import TestSupport
import Testing

@Suite("Registration before main")
struct PreMainTests {
  @Test("Features that register in their own files before main run once, at the event")
  func runsOnce() throws {
    let result = try Program("PreMainFixture")
      .run(["a", "b"], environment: ["PRE_MAIN_FIXTURE=the test"])
    #expect(result.status == 0)
    #expect(
      result.output == """
        main begins
        logging started with a b
        analytics started in the test
        posted again, reached 0
        analytics, registered in PreMainFixture/Analytics.swift:12, finished
        analytics, registered in PreMainFixture/Analytics.swift:17, duplicate of analytics
        crash reports, registered in PreMainFixture/Analytics.swift:35, failed: server is unreachable
        logging, registered in PreMainFixture/Logging.swift:12, finished

        """
    )
  }
}
#endif
