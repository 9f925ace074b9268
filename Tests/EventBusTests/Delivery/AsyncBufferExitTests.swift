#if os(Linux) || os(macOS)
import EventBus
import TestSupport
import Testing

extension AsyncBufferTests {
  @Test("A keep-newest size below one is reported on one line, and one event is kept")
  func newestBelowOne() async throws {
    let result = await #expect(
      processExitsWith: .success,
      observing: [\.standardErrorContent]
    ) {
      let result = await handled(.bufferingNewest(-3), posts: 1...2, keeping: 1)
      precondition(result.handled == [0, 2])
    }
    #expect(refusals(try #require(result)) == 1)
  }

  /// Returns the number of lines on standard error that name the source site of the registration.
  private func refusals(_ result: ExitTest.Result) -> Int {
    String(decoding: result.standardErrorContent, as: UTF8.self).split(separator: "\n")
      .count { $0.contains("Sample/Here.swift:42") }
  }
}
#endif
