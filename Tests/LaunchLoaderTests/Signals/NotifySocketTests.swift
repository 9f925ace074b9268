#if os(Linux) || os(macOS)
import LaunchLoader
import TestSupport
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#else
#error("Unknown C library: add it here.")
#endif

@Suite("Notify socket of the service manager")
struct NotifySocketTests {
  @Test(
    "Messages reach the socket named by the environment, by path or abstract name",
    arguments: Manager.namesAreAbstract
  )
  func messages(isAbstract: Bool) throws {
    let manager = try Manager(isAbstract: isAbstract)
    let socket = try #require(NotifySocket(environment: ["NOTIFY_SOCKET": manager.address]))
    socket.reloading()
    socket.started()
    #expect(try manager.message() == "READY=1")
    let before = monotonicMicroseconds
    socket.reloading()
    let lines = try manager.message().split(separator: "\n")
    let time = try #require(lines.last?.split(separator: "=").last.flatMap { UInt64($0) })
    #expect(lines.first == "RELOADING=1" && lines.last == "MONOTONIC_USEC=\(time)")
    #expect((before...monotonicMicroseconds).contains(time))
    socket.watchdog()
    #expect(try manager.message() == "WATCHDOG=1")
    socket.reloaded()
    #expect(try manager.message() == "READY=1")
    socket.stopping()
    #expect(try manager.message() == "STOPPING=1")
    socket.started()
    socket.reloaded()
    #expect(throws: Manager.Failure.self) { try manager.message() }
  }

  @Test(
    "Without a usable name, no socket is created",
    arguments: [nil, "", "@", "relative", "vsock:2:1"]
  )
  func noSocket(_ name: String?) {
    #expect(NotifySocket(environment: name.map { ["NOTIFY_SOCKET": $0] } ?? [:]) == nil)
  }

  @Test("A name too long for an address is refused; the longest that fits is accepted")
  func length() {
    let names =
      [("/", Manager.addressRoom - 1)]
      + (Manager.namesAreAbstract.contains(true) ? [("@", Manager.addressRoom)] : [])
    for (start, longest) in names {
      let name = start + String(repeating: "x", count: longest - 1)
      #expect(NotifySocket(environment: ["NOTIFY_SOCKET": name]) != nil)
      #expect(NotifySocket(environment: ["NOTIFY_SOCKET": name + "x"]) == nil)
    }
  }

  @Test(
    "The watchdog interval comes from the environment if it is meant for this process",
    arguments: [
      ([:], nil), (["WATCHDOG_USEC": "30000000"], .seconds(30)),
      (["WATCHDOG_USEC": "1500", "WATCHDOG_PID": "77"], .microseconds(1_500)),
      (["WATCHDOG_USEC": "1500", "WATCHDOG_PID": "78"], nil),
      (["WATCHDOG_USEC": "0"], nil), (["WATCHDOG_USEC": "soon"], nil),
    ] as [([String: String], Duration?)]
  )
  func watchdog(_ variables: [String: String], _ interval: Duration?) throws {
    let environment = variables.merging(["NOTIFY_SOCKET": "/run/notify"]) { $1 }
    let socket = try #require(NotifySocket(environment: environment, process: 77))
    #expect(socket.watchdogInterval == interval)
  }

  @Test(
    "A manager that does not read blocks nothing and is reported once",
    .timeLimit(.minutes(5))
  )
  func fullQueue() throws {
    let manager = try Manager()
    let messages = Log<String>()
    let environment = ["NOTIFY_SOCKET": manager.address]
    let socket = try #require(NotifySocket(environment: environment) { messages.append($0) })
    // More than any queue has room for.
    for _ in 0..<5_000 { socket.watchdog() }
    #expect(messages.entries.count == 1)
    withExtendedLifetime(manager) {}
  }
}

/// The clock of the messages.
///
/// The members of `timespec` are not read: the compiler takes them, now and then, for those of a module that cannot be
/// imported.
private var monotonicMicroseconds: UInt64 {
  var time: (seconds: Int, nanoseconds: Int) = (0, 0)
  unsafe withUnsafeMutablePointer(to: &time) { time in  // Reason: outlives the call.
    unsafe time.withMemoryRebound(to: timespec.self, capacity: 1) {  // Reason: two words as well.
      _ = unsafe clock_gettime(CLOCK_MONOTONIC, $0)  // Reason: outlives the call.
    }
  }
  return UInt64(time.seconds) * 1_000_000 + UInt64(time.nanoseconds) / 1_000
}
#endif
