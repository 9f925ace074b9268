#if os(Linux) || os(macOS)
import EventBus
import EventBusTesting
import LaunchLoader
import TestSupport
import Testing

extension LoaderMessageTests {
  /// Returns the lines of this library on standard error.
  private func lines(_ result: ExitTest.Result?) -> [String] {
    String(decoding: result?.standardErrorContent ?? [], as: UTF8.self).split(separator: "\n")
      .filter { $0.hasPrefix("LaunchLoader: ") }.map(String.init)
  }

  @Test(
    "Without an application, refused registrations are named on standard error, with both lines"
  )
  func duplicatesOnStandardError() async {
    let launched = await #expect(
      processExitsWith: .success,
      observing: [\.standardErrorContent]
    ) {
      let loader = LaunchLoader()
      for _ in 0..<2 { loader.register("named") { _ in } }
      try await loader.launch()
      loader.register("named") { _ in }
    }
    let unlaunched = await #expect(
      processExitsWith: .success,
      observing: [\.standardErrorContent]
    ) {
      let loader = LaunchLoader()
      for _ in 0..<3 { loader.register("named") { _ in } }
    }
    for result in [launched, unlaunched] {
      let lines = lines(result)
      #expect(lines.count == 2)
      for line in lines {
        #expect(line.hasPrefix("LaunchLoader: Launch work \"named\" (LaunchLoaderTests/"))
        #expect(line.split(separator: "LoaderMessageExitTests.swift:").count == 3)
      }
    }
  }

  @Test("Without an application, an awaited value is named on standard error")
  func valueOnStandardError() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      let clock = TestClock()
      let loader = LaunchLoader(clock: clock)
      let waiting = Task { try await loader.value(of: LaunchKey<Int>("absent")) }
      await clock.waitForSleepers(atLeast: 1)
      await clock.jumpAtRest(by: .seconds(5))
      await rest()
      waiting.cancel()
    }
    let text =
      "LaunchLoader: Still waiting, after 5 s, for launch value \"absent\": no launch has begun"
    #expect(lines(result).count == 1)
    #expect(lines(result).first?.hasPrefix(text) == true)
  }
}
#endif
