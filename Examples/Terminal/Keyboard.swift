private import Synchronization

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#else
internal import Darwin
#endif

/// Reads a terminal, on a thread of its own that waits in the system.
///
/// ## Thread safety
///
/// Every member may be called from any thread. The handler is called on the keyboard's thread, nothing
/// held.
package final class Keyboard: Sendable {
  /// What the handler is told.
  package enum Event: Hashable, Sendable {
    /// Something came.
    case input(Input)
    /// The terminal was asked for its background, and has not answered in time; it may still do so.
    case noAnswer
    /// The terminal is gone: nothing will ever come.
    case gone
  }

  private let input: Int32
  /// Is read by the thread, and by nobody else; a byte in it ends the thread.
  private let bell: (reading: Int32, writing: Int32)
  private let handler: @Sendable (Event) -> Void

  /// Begins to read.
  ///
  /// - Parameters:
  ///   - input: The descriptor.
  ///   - deadline: How long the answer about the background may take, in milliseconds; `nil` if it was not
  ///     asked for.
  ///   - handler: Is told.
  /// - Returns: `nil` if the system has no pipe or no thread to give.
  package static func start(
    _ input: Int32,
    deadline: Int?,
    _ handler: @escaping @Sendable (Event) -> Void
  ) -> Keyboard? {
    var ends: [Int32] = [-1, -1]
    guard unsafe pipe(&ends) == 0 else { return nil }  // Reason: room for both.
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    let keyboard = Keyboard(input, (ends[0], ends[1]), handler)
    guard BackgroundThread.start({ keyboard.read(deadline) }) else { return nil }
    return keyboard
  }

  private init(
    _ input: Int32,
    _ bell: (Int32, Int32),
    _ handler: @escaping @Sendable (Event) -> Void
  ) {
    self.input = input
    self.bell = bell
    self.handler = handler
  }

  deinit {
    close(bell.reading)
    close(bell.writing)
  }

  /// Reads no more; what is typed from now on is somebody else's.
  package func stop() {
    var byte: UInt8 = 0
    _ = unsafe write(bell.writing, &byte, 1)  // Reason: one byte.
  }

  private func read(_ deadline: Int?) {
    // Reading in the background stops the process.
    TerminalDevice.letThrough(SIGTTIN)
    var decoder = KeyDecoder()
    var deadline = deadline.map { ContinuousClock.now + .milliseconds($0) }
    while true {
      switch wait(Self.milliseconds(decoder.patience, deadline)) {
      case .bytes(let bytes):
        for input in decoder.feed(bytes) {
          if case .background = input { deadline = nil }
          handler(.input(input))
        }
      case .nothing:
        for input in decoder.giveUp() { handler(.input(input)) }
      case .interrupted: break
      case .gone:
        handler(.gone)
        return
      case .stopped: return
      }
      if let end = deadline, ContinuousClock.now >= end {
        deadline = nil
        handler(.noAnswer)
      }
    }
  }

  private enum Arrival {
    case bytes(ArraySlice<UInt8>)
    case nothing
    case interrupted
    case gone
    case stopped
  }

  private func wait(_ milliseconds: Int32) -> Arrival {
    var requests = [input, bell.reading].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    let count = unsafe poll(&requests, 2, milliseconds)  // Reason: both outlive the call.
    if count == 0 { return .nothing }
    if count < 0 { return errno == EINTR ? .interrupted : .gone }
    if requests[1].revents != 0 { return .stopped }
    var bytes = [UInt8](repeating: 0, count: 1_024)
    let length = TerminalDevice.read(&bytes, from: input)
    if length > 0 { return .bytes(bytes.prefix(length)) }
    return length < 0 && (errno == EINTR || errno == EAGAIN) ? .interrupted : .gone
  }

  /// How long to wait, rounded up; for ever if nothing is waited for.
  private static func milliseconds(
    _ patience: Int?,
    _ deadline: ContinuousClock.Instant?
  ) -> Int32 {
    let rest = deadline.map { deadline in
      let (seconds, attoseconds) = (deadline - .now).components
      return max(0, Int(seconds) * 1_000 + Int(attoseconds / 1_000_000_000_000_000) + 1)
    }
    let shortest = [patience, rest].compactMap { $0 }.min()
    return shortest.map { Int32(clamping: $0) } ?? -1
  }
}
