private import EventBus

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#else
#error("Unknown C library: add it here.")
#endif

/// Reads input from a terminal on a dedicated thread, which blocks in the operating system.
///
/// ## Thread safety
///
/// Every member may be called from any thread. The handler is called on the keyboard's thread, with no
/// lock held.
package final class Keyboard: Sendable {
  /// An event that the handler receives.
  package enum Event: Hashable, Sendable {
    /// Input arrived: all that one read has brought.
    case input([Input])
    /// The terminal did not reply to the background query in time; it may still do so.
    case noAnswer
    /// The terminal is disconnected; no further input will arrive.
    case gone
  }

  private let input: Int32
  /// A pipe that only the thread reads; a byte in it ends the thread.
  private let bell: (reading: Int32, writing: Int32)
  private let handler: @Sendable (Event) -> Void

  /// Starts reading.
  ///
  /// - Parameters:
  ///   - input: The descriptor to read.
  ///   - deadline: The time limit for the reply to a background query, in milliseconds; `nil` without a
  ///     query.
  ///   - handler: Receives the events.
  /// - Returns: The keyboard, or `nil` if the system cannot create a pipe or a thread.
  package static func start(
    _ input: Int32,
    deadline: Int?,
    _ handler: @escaping @Sendable (Event) -> Void
  ) -> Keyboard? {
    var ends: [Int32] = [-1, -1]
    guard unsafe pipe(&ends) == 0 else { return nil }  // Reason: room for both.
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    let keyboard = Keyboard(input, (ends[0], ends[1]), handler)
    guard startThread({ keyboard.read(deadline) }) == 0 else { return nil }
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

  /// Stops reading; later input is left to other readers.
  package func stop() {
    var byte: UInt8 = 0
    _ = unsafe write(bell.writing, &byte, 1)  // Reason: one byte.
  }

  private func read(_ deadline: Int?) {
    // A read in the background must stop the process.
    TerminalDevice.letThrough(SIGTTIN)
    var decoder = KeyDecoder()
    var deadline = deadline.map { ContinuousClock.now + .milliseconds($0) }
    while true {
      switch wait(Self.milliseconds(decoder.patience, deadline)) {
      case .bytes(let bytes):
        let inputs = decoder.feed(bytes)
        if inputs.contains(where: { if case .background = $0 { true } else { false } }) {
          deadline = nil
        }
        if !inputs.isEmpty { handler(.input(inputs)) }
      case .nothing:
        let inputs = decoder.giveUp()
        if !inputs.isEmpty { handler(.input(inputs)) }
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

  /// Returns the timeout of a wait, rounded up; -1, without a limit, if there is none.
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
