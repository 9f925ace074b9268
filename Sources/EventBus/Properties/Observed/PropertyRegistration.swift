/// The part of a registration that other threads may use: its end and its pauses.
///
/// It never refers to the handler.
@usableFromInline
package final class PropertyRegistration: Registration,
  @unchecked Sendable  // Reason: constants.
{
  /// The registration number.
  @usableFromInline let number: UInt
  private let ended: EndedRegistrations

  init(number: UInt, _ ended: EndedRegistrations) {
    self.number = number
    self.ended = ended
  }

  override func didEnd() { ended.note(number) }

  override func waitForCalls() async { await ended.untilFinished() }
}
