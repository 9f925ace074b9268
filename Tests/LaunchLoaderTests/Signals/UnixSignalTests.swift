import LaunchLoader
import TestSupport
import Testing

@Suite("Signals as values")
struct UnixSignalTests {
  @Test(
    "A signal's description is its system name",
    arguments: [
      (UnixSignal.terminate, "SIGTERM"), (.interrupt, "SIGINT"), (.hangup, "SIGHUP"),
      (.quit, "SIGQUIT"), (.terminalStop, "SIGTSTP"), (.resume, "SIGCONT"), (.user1, "SIGUSR1"),
      (.user2, "SIGUSR2"), (.windowChanged, "SIGWINCH"), (.pipe, "SIGPIPE"),
      (UnixSignal(rawValue: 9), "SIGKILL"),
      (UnixSignal(rawValue: 40), "signal 40"), (UnixSignal(rawValue: -3), "signal -3"),
    ]
  )
  func names(_ signal: UnixSignal, _ name: String) { #expect("\(signal)" == name) }

  @Test("Every number is either refused with a reason or can be listened to")
  func refusals() {
    let refused = (-2...70).filter { UnixSignal(rawValue: $0).refusal != nil }
    #if canImport(Darwin)
    #expect(refused == [-2, -1, 0, 4, 5, 8, 9, 10, 11, 17] + Array(32...70))
    #elseif canImport(Glibc)
    #expect(refused == [-2, -1, 0, 4, 5, 7, 8, 9, 11, 19, 32, 33] + Array(65...70))
    #else
    #expect(refused.contains(9) && !refused.contains(15))
    #endif
    #expect(UnixSignal(rawValue: 9).refusal?.reason == "accepts no handler")
  }

  /// The events of a job, and what follows from them.
  enum Event: Sendable { case stopOnTerminal, stop, resume }
  enum Step: Sendable { case background, halt, foreground }

  @Test(
    "Each transition of stopping and continuing is reported once",
    arguments: [
      ([.stopOnTerminal], [.background, .halt, .foreground]),
      ([.stopOnTerminal, .resume], [.background, .halt, .foreground]),
      (
        [.stopOnTerminal, .resume, .stopOnTerminal],
        [.background, .halt, .foreground, .background, .halt, .foreground]
      ),
      ([.stop, .stop], [.background]),
      ([.stop, .resume, .resume], [.background, .foreground]),
      ([.stop, .stopOnTerminal, .resume], [.background, .halt, .foreground]),
      ([.resume], []),
    ] as [([Event], [Step])]
  )
  func jobs(_ events: [Event], _ steps: [Step]) {
    var job = JobState()
    var taken: [Step] = []
    for event in events {
      switch event {
      case .stopOnTerminal:
        if job.stop(isOnTerminal: true) { taken.append(.background) }
        taken += [.halt, .foreground]
      case .stop: if job.stop(isOnTerminal: false) { taken.append(.background) }
      case .resume: if job.resume() { taken.append(.foreground) }
      }
    }
    #expect(taken == steps)
  }
}
