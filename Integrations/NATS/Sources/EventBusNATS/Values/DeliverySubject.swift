/// What a durable message says about its delivery, in the subject to which its acknowledgement goes.
///
///     $JS.ACK.<stream>.<consumer>.<deliveries>.<stream sequence>.<consumer sequence>.<time>.<pending>
///
/// Servers since 2.9 may add a domain and an account hash in front of the stream, and a token at the end.
package struct DeliverySubject: Sendable, Equatable {
  /// The name of the stream.
  package let stream: String
  /// How often the message was delivered, this time included.
  package let deliveries: Int
  /// The number of the message in its stream.
  package let sequence: UInt64
  /// When the message was stored, in nanoseconds since 1970.
  package let time: UInt64

  /// Reads a subject.
  ///
  /// - Parameter subject: The subject for the acknowledgement; any other gives `nil`.
  package init?(_ subject: String) {
    let tokens = subject.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard tokens.count == 9 || tokens.count >= 11, subject.hasPrefix("$JS.ACK.") else { return nil }
    let start = tokens.count == 9 ? 2 : 4
    guard let deliveries = number(tokens[start + 2], radix: 10).flatMap(Int.init(exactly:)),
      let sequence = number(tokens[start + 3], radix: 10), !tokens[start].isEmpty,
      let time = number(tokens[start + 5], radix: 10)
    else { return nil }
    self.stream = String(decoding: tokens[start], as: UTF8.self)
    self.deliveries = deliveries
    self.sequence = sequence
    self.time = time
  }
}

/// An answer to a durable message.
package enum Acknowledgement: Sendable, Equatable {
  /// Every handler has finished.
  case done
  /// The message is to come again after a pause.
  case again(after: Duration)
  /// Handlers are still running.
  case inProgress
  /// The message must not come again.
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

extension Duration {
  /// The duration in nanoseconds, at most the largest integer.
  var nanoseconds: Int64 {
    let (seconds, attoseconds) = components
    let (product, isTooLarge) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, isTooLargeNow) = product.addingReportingOverflow(attoseconds / 1_000_000_000)
    return isTooLarge || isTooLargeNow ? .max : sum
  }

  /// The duration in milliseconds, at least one.
  var milliseconds: Int64 { max(1, nanoseconds / 1_000_000) }
}
