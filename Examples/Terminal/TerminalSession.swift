internal import Synchronization

/// The terminal of a full-screen program: configures keys and screen, and restores them.
///
/// ``enter()`` configures the terminal and ``leave()`` restores it, each time the program moves to the
/// background and returns. The end of the process also restores it, by a thrown error, a trap, a signal or
/// `exit`.
///
/// ## Thread safety
///
/// Every member may be called from any thread. A frame being written is completed before the terminal is
/// restored, and no frame is written after that.
package final class TerminalSession: Sendable {
  private struct State: Sendable {
    var isEntered = false
  }

  /// The descriptor to read.
  package let input: Int32
  /// The descriptor to write to, of the same terminal.
  package let output: Int32

  /// Held during system calls, so that they do not interleave.
  private let state = Mutex(State())

  /// Creates a session that has not begun.
  ///
  /// - Parameters:
  ///   - input: The descriptor to read.
  ///   - output: The descriptor to write to.
  package init(input: Int32 = 0, output: Int32 = 1) {
    self.input = input
    self.output = output
  }

  /// Configures the terminal: unbuffered keys, the alternate screen, no cursor.
  ///
  /// Further calls before ``leave()`` have no effect.
  package func enter() {
    state.withLock { state in
      guard !state.isEntered, let modes = TerminalDevice.modes(of: input) else { return }
      state.isEntered = true
      LastWill.arm(modes: modes, input: input, output: output, bytes: ScreenModes.leave)
      TerminalDevice.setModes(TerminalDevice.raw(modes), of: input)
      _ = TerminalDevice.write(ScreenModes.enter, to: output)
    }
  }

  /// Configures the terminal again after another program changed it, unless it has been restored.
  package func reenter() {
    state.withLock { state in
      guard state.isEntered, let modes = TerminalDevice.modes(of: input) else { return }
      TerminalDevice.setModes(TerminalDevice.raw(modes), of: input)
      _ = TerminalDevice.write(ScreenModes.enter, to: output)
    }
  }

  /// Restores the terminal; further calls have no effect.
  package func leave() {
    state.withLock { state in
      guard state.isEntered else { return }
      state.isEntered = false
      LastWill.execute()
    }
  }

  /// Writes a frame, in one system call if possible.
  ///
  /// - Returns: `false` if the terminal has been restored or is disconnected.
  package func write(_ frame: [UInt8]) -> Bool {
    state.withLock { state in
      state.isEntered && TerminalDevice.write(frame, to: output)
    }
  }

  /// The current size of the window.
  package var size: Size { TerminalDevice.size(of: output) }

  /// A Boolean value that indicates whether the terminal is still connected.
  package var isThere: Bool { TerminalDevice.isThere(input) }
}
