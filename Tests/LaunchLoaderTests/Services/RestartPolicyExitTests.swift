#if os(Linux) || os(macOS)
import LaunchLoader
import Testing

@Suite("Misuse of restart policies", .timeLimit(.minutes(5)))
struct RestartPolicyExitTests {
  @Test("A negative pause traps with the line of the caller")
  func negativePause() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = RestartPolicy(pause: .seconds(-1))
    }
    expect(
      "cannot have a negative pause; got -1.0 seconds. Pass a pause of zero or more.",
      in: result
    )
  }

  @Test("Pauses that shrink trap with the line of the caller, and so does NaN")
  func shrinkingPauses() async {
    let half = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = RestartPolicy(growingBy: 0.5)
    }
    expect("cannot have shrinking pauses; got `growingBy: 0.5`. Pass 1 or more.", in: half)
    let none = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = RestartPolicy(growingBy: .nan)
    }
    expect("got `growingBy: nan`", in: none)
  }

  @Test("A negative limit traps with the line of the caller")
  func negativeLimit() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = RestartPolicy(limit: -1)
    }
    expect(
      "cannot have a negative limit; got -1. Pass zero or more, or nil for no limit.",
      in: result
    )
  }

  private func expect(
    _ text: String,
    in result: ExitTest.Result?,
    at location: SourceLocation = #_sourceLocation
  ) {
    let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(message.contains(text), sourceLocation: location)
    #expect(
      message.contains("LaunchLoaderTests/RestartPolicyExitTests.swift:"),
      sourceLocation: location
    )
  }
}
#endif
