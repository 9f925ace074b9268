#if canImport(FoundationEssentials)
private import FoundationEssentials
#else
private import Foundation
#endif

/// The answer of the server to a durable message.
struct PublishAnswer: Decodable {
  struct Refusal: Decodable {
    let code: Int
    let err_code: Int?
    let description: String?

    /// Whether the server would refuse the same message again.
    ///
    /// A full stream or disk and a missing leader are temporary; a message that is too large and a sealed stream
    /// are not.
    var isLasting: Bool {
      switch err_code {
      case 10054, 10109, 10097: true
      default: false
      }
    }
  }

  let stream: String?
  let seq: UInt64?
  let duplicate: Bool?
  let error: Refusal?

  init?(_ bytes: [UInt8]) {
    // Reason for `try?`: an unreadable answer is treated as none.
    guard let answer = try? JSONDecoder().decode(Self.self, from: Data(bytes)) else { return nil }
    self = answer
  }
}
