/// What a signal asks of an application.
package enum SignalMeaning: Sendable, Equatable {
  /// To end; by the signal of this number.
  case interrupt(Int32)
  /// To go to the background, and to stop if it runs on a terminal.
  case background
  /// To come back.
  case foreground
  /// To read its configuration anew.
  case reload
  /// To look at the size of its terminal.
  case resize

  /// Finds what a signal means, or `nil` if it is none that applications listen to.
  package init?(_ signal: UnixSignal) {
    switch signal {
    case .interrupt, .terminate: self = .interrupt(signal.rawValue)
    case .stop: self = .background
    case .resume: self = .foreground
    case .hangup: self = .reload
    case .windowChanged: self = .resize
    default: return nil
    }
  }

  /// The signals that ask an application to end.
  package static let interrupts: [UnixSignal] = [.terminate, .interrupt]

  /// The signals that ask for anything else.
  package static let requests: [UnixSignal] = [.stop, .resume, .hangup, .windowChanged]

  /// Those that a program must leave alone if it was started with them ignored.
  ///
  /// That is how a shell shields what it runs in the background, and how `nohup` works (The GNU C
  /// Library, "Initial Signal Actions": check whether the signal is ignored before you handle it).
  package static let heedsIgnoring: Set<UnixSignal> = [.interrupt, .hangup, .stop]
}
