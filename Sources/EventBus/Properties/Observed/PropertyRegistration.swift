/// The part of a registration that other threads may use: its end and its pauses.
///
/// It never refers to the handler.
@usableFromInline
package final class PropertyRegistration: Registration,
  @unchecked Sendable  // Reason: constants.
{
  /// The registration number.
  @usableFromInline let number: UInt
  private let ledger: RegistrationLedger

  init(number: UInt, ledger: RegistrationLedger) {
    self.number = number
    self.ledger = ledger
  }

  override func didEnd() { ledger.note(number) }

  override package func waitUntilFinished(_ handle: UInt) async {
    await ledger.untilFinished(number)
  }
}
