#if os(Linux) || os(macOS)
import LaunchLoader
import TestSupport
import Testing

extension NotifySocketTests {
  @Test("A manager that cannot be reached is reported once, and the program continues")
  func gone() async {
    let result = await #expect(
      processExitsWith: .success,
      observing: [\.standardErrorContent]
    ) {
      let socket = NotifySocket(environment: ["NOTIFY_SOCKET": "/nowhere/at/all"])
      socket?.started()
      socket?.stopping()
    }
    let complaints = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
      .split(separator: "\n").filter { $0.contains("NOTIFY_SOCKET") }
    #expect(
      complaints == [
        "LaunchLoader: Cannot notify the service manager (NOTIFY_SOCKET): system error 2."
      ]
    )
  }
}
#endif
