internal import Synchronization

/// The terminal of a program that fills the screen: its keys and its screen, and their return to what
/// they were.
///
/// ``enter()`` takes the terminal, ``leave()`` gives it back, as often as the program goes to the
/// background and returns. Whatever ends the process meanwhile gives it back, too: a thrown error, a trap,
/// a signal, `exit`.
///
/// ## Thread safety
///
/// Every member may be called from any thread. A frame that is being written is written whole before the
/// terminal is given back, and none is afterwards.
package final class TerminalSession: Sendable {
  private struct State: Sendable {
    var isEntered = false
  }

  /// The terminal that is read.
  package let input: Int32
  /// The terminal that is written to; the same one.
  package let output: Int32

  /// Calls to the system are made under it: they are what must not mix.
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

  /// Takes the terminal: keys come at once, the other screen is shown, the cursor is hidden.
  ///
  /// Doing so again does nothing.
  package func enter() {
    state.withLock { state in
      guard !state.isEntered, let modes = TerminalDevice.modes(of: input) else { return }
      state.isEntered = true
      LastWill.arm(modes: modes, input: input, output: output, bytes: ScreenModes.leave)
      TerminalDevice.setModes(TerminalDevice.raw(modes), of: input)
      _ = TerminalDevice.write(ScreenModes.enter, to: output)
    }
  }

  /// Takes the terminal again, if it has not been given back: somebody else had it meanwhile.
  package func reenter() {
    state.withLock { state in
      guard state.isEntered, let modes = TerminalDevice.modes(of: input) else { return }
      TerminalDevice.setModes(TerminalDevice.raw(modes), of: input)
      _ = TerminalDevice.write(ScreenModes.enter, to: output)
    }
  }

  /// Gives the terminal back; doing so again does nothing.
  package func leave() {
    state.withLock { state in
      guard state.isEntered else { return }
      state.isEntered = false
      LastWill.execute()
    }
  }

  /// Writes a frame, in one call if the system takes it so.
  ///
  /// - Returns: Whether it was written: not while the terminal is given back, nor when it is gone.
  package func write(_ frame: [UInt8]) -> Bool {
    state.withLock { state in
      state.isEntered && TerminalDevice.write(frame, to: output)
    }
  }

  /// The size of the window now.
  package var size: Size { TerminalDevice.size(of: output) }

  /// Whether the terminal is still there.
  package var isThere: Bool { TerminalDevice.isThere(input) }
}
