#if os(Linux) || os(macOS)
import LaunchLoader
import TestSupport
import Testing

extension UnixSignalTests {
  @Test("Listening to SIGKILL traps with a message that names the remedy")
  func misuse() async {
    let result = await #expect(
      processExitsWith: .failure,
      observing: [\.standardErrorContent]
    ) {
      _ = UnixSignal.stream(.terminate, UnixSignal(rawValue: 9))
    }
    let complaint = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(
      complaint.contains(
        "LaunchLoader: SIGKILL accepts no handler. Listen to SIGTERM or SIGTSTP"
      )
    )
  }
}
#endif
