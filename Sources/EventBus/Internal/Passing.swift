/// Goes through the reclamation like an observer, and opens a latch when everybody has left who was
/// inside when it was retired.
internal final class Passing: Sendable {
  private let latch: Latch

  internal init(_ latch: Latch) { self.latch = latch }

  deinit { latch.open() }

  /// Hands the only reference to the reclamation.
  internal consuming func retired() -> Retired {
    Retired(object: ObjectAddress.retained(self))
  }
}
