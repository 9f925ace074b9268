#if os(Linux) || os(macOS)
import LaunchLoader

/// Listeners that come and go without end, on two threads.
///
/// Each signal is answered by a byte on standard output: its number if a listener took it, that plus a
/// hundred if the handler did that was there before them.
enum Storm {
  /// Begins; there is no end but that of the program.
  static func begin(_ numbers: [Int32]) {
    for number in numbers { Handlers.installByte(number) }
    let signals = numbers.map(UnixSignal.init(rawValue:))
    // One lasts for some turns of the other.
    let (turns, turn) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    Task.detached { await churn(signals, seed: 1) { for await _ in turns.prefix($0) {} } }
    Task.detached { await churn(signals, seed: 2) { _ in turn.yield() } }
    say("raging")
  }

  private static func churn(
    _ signals: [UnixSignal],
    seed: Int,
    pause: (_ turns: Int) async -> Void
  ) async {
    var turn = seed
    while true {
      turn += 1
      let stream = UnixSignal.stream(signals[0], signals[1], signals[2], signals[3])
      if turn % 3 == 0 { continue }
      let stopsEarly = turn % 3 == 1
      let task = Task {
        for await signal in stream {
          answer(signal)
          if stopsEarly { break }
        }
      }
      await pause(turn % 19)
      task.cancel()
      await task.value
      await pause(turn % 11)
    }
  }

  private static func answer(_ signal: UnixSignal) {
    var byte = UInt8(truncatingIfNeeded: signal.rawValue)
    _ = unsafe write(1, &byte, 1)  // Reason: one byte.
  }
}
#endif
