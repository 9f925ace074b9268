/// Why nobody can listen to a signal.
package struct SignalRefusal: Sendable, Equatable {
  /// What is wrong with it, after its name.
  package let reason: String
  /// What to do instead.
  package let remedy: String

  /// Finds the reason, or `nil` if the signal can be listened to.
  package init?(_ signal: UnixSignal) {
    let number = signal.rawValue
    if SignalNumber.unstoppable.contains(number) {
      reason = "cannot be listened to by anybody"
      remedy = "Listen to SIGTERM or SIGTSTP, which ask for the same"
    } else if SignalNumber.faults.contains(number) {
      reason = "comes from a fault, which would come again and again after a handler"
      remedy = "Leave it to the system, or to a crash reporter"
    } else if !SignalNumber.range.contains(number) || SignalNumber.reserved.contains(number) {
      let range = SignalNumber.range
      reason = "is no signal that this system has"
      remedy = "Use one from \(range.lowerBound) to \(range.upperBound), or a member of UnixSignal"
    } else {
      return nil
    }
  }

  /// Traps if there is a signal that cannot be listened to.
  internal static func check(_ signals: some Sequence<UnixSignal>) {
    for signal in signals {
      guard let refusal = SignalRefusal(signal) else { continue }
      trap("\(signal) \(refusal.reason)", remedy: refusal.remedy)
    }
  }
}
