#if os(Linux) || os(macOS)
import Terminal
import TestSupport
import Testing

@Suite("Terminal output", .timeLimit(.minutes(5)))
struct TerminalDeviceTests {
  /// The ends of a pipe; closed by the test.
  private func ends() throws -> (reading: Int32, writing: Int32) {
    var ends: [Int32] = [-1, -1]
    try #require(unsafe pipe(&ends) == 0)  // Reason: room for both.
    return (ends[0], ends[1])
  }

  private func next(_ descriptor: Int32, atMost count: Int) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    let length = unsafe read(descriptor, &bytes, count)  // Reason: room for them.
    return Array(bytes.prefix(max(0, length)))
  }

  #if canImport(Glibc)
  @Test("A frame is a single write")
  func oneWrite() throws {
    // Each write to it is a packet, and each packet is read alone.
    var ends: [Int32] = [-1, -1]
    let packets = Int32(SOCK_SEQPACKET.rawValue)
    try #require(unsafe socketpair(AF_UNIX, packets, 0, &ends) == 0)  // Reason: room for both.
    let (reading, writing) = (ends[0], ends[1])
    var encoder = FrameEncoder(depth: .trueColor)
    var canvas = Canvas(Size(columns: 120, rows: 40))
    let color = Color(red: 1, green: 2, blue: 3)
    for row in 0..<40 {
      canvas.write("row \(row)", column: row, row: row, Style(foreground: color))
    }
    let frame = encoder.frame(canvas)
    #expect(TerminalDevice.write(frame, to: writing))
    #expect(next(reading, atMost: 65_536) == frame)
    close(reading)
    close(writing)
  }
  #endif

  @Test("Output that does not fit is written once there is room, without repetition")
  func slowReader() async throws {
    let (reading, writing) = try ends()
    _ = fcntl(writing, F_SETFL, O_NONBLOCK)
    let bytes = (0..<400_000).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 / 256) }
    let log = Log<[UInt8]>()
    // One thread writes, the other reads; neither belongs to the pool.
    await onThreads(2) { thread in
      if thread == 0 {
        log.append([TerminalDevice.write(bytes, to: writing) ? 1 : 0])
        close(writing)
      } else {
        var all: [UInt8] = []
        while true {
          let piece = next(reading, atMost: 4_096)
          if piece.isEmpty { break }
          all += piece
        }
        log.append(all)
      }
    }
    close(reading)
    #expect(Set(log.entries) == [[1], bytes])
  }

  @Test("A closed descriptor is not a terminal and accepts no output")
  func gone() throws {
    let (reading, writing) = try ends()
    #expect(!TerminalDevice.isTerminal(writing))
    #expect(!TerminalDevice.isThere(writing))
    #expect(TerminalDevice.size(of: writing) == .usual)
    close(reading)
    close(writing)
    #expect(!TerminalDevice.write([65], to: -1))
  }
}
#endif
