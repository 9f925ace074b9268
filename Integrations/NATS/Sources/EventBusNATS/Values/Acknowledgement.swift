/// An answer to a durable message.
package enum Acknowledgement: Sendable, Equatable {
  /// Every handler has finished.
  case done
  /// The server delivers the message again, after a pause.
  case again(after: Duration)
  /// Handlers are still running.
  case inProgress
  /// The server does not deliver the message again.
  case terminate

  /// The payload of the answer.
  package var bytes: [UInt8] {
    switch self {
    case .done: Array("+ACK".utf8)
    case .again(let pause): Array("-NAK {\"delay\": \(pause.nanoseconds)}".utf8)
    case .inProgress: Array("+WPI".utf8)
    case .terminate: Array("+TERM".utf8)
    }
  }

  /// Reads an answer, as a server does.
  package init?(_ bytes: [UInt8]) {
    let text = String(decoding: bytes, as: UTF8.self)
    switch text {
    case "+ACK": self = .done
    case "+WPI": self = .inProgress
    case "+TERM": self = .terminate
    default:
      guard text.hasPrefix("-NAK {\"delay\": "),
        let nanoseconds = Int64(text.dropFirst(15).dropLast())
      else { return nil }
      self = .again(after: .nanoseconds(nanoseconds))
    }
  }
}
