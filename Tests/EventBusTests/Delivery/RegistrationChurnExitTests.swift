#if os(Linux) || os(macOS)
import EventBus
import TestSupport
import Testing

#if os(Linux)
@Suite("Rounds of registrations", .timeLimit(.minutes(5)))
struct RegistrationChurnExitTests {
  @Test("Rounds of post, register and cancel beside an old registration retain nothing")
  func keepsNothing() async {
    await #expect(processExitsWith: .success) {
      /// Returns the memory that the process has now, in pages.
      ///
      /// Not the most it has had: a program begins with the most of the one that started it.
      func resident() throws -> Int {
        Int(try text(ofPath: "/proc/self/statm").split(separator: " ")[1]) ?? 0
      }
      let rounds = size(10_000, full: 25_000)
      let bus = EventBus()
      let calls = Counter()
      let old = bus.observe(.number, line: 1) { _ in calls.add() }
      func churn() {
        for round in 0..<rounds {
          bus.post(.number, round)
          let token = bus.observe(.number, line: 2) { _ in }
          token.pause().cancel()
          bus.post(.number, round, excluding: token)
          token.cancel()
        }
      }
      churn()
      let before = try resident()
      for _ in 0..<3 { churn() }
      precondition(before > 0)
      #if !TSAN
      // ThreadSanitizer keeps a history of accesses and freed blocks, which grows on its own.
      let after = try resident()
      precondition(after <= before + 256)
      #endif
      precondition(calls.value == 8 * rounds)
      withExtendedLifetime(old) {}
    }
  }
}
#endif
#endif
