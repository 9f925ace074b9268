/// Numbers that look random and are the same on every run.
public struct SampleNumbers: Sendable {
  private var state: UInt64

  /// Begins a sequence; another seed begins another one.
  public init(seed: Int) { state = UInt64(bitPattern: Int64(seed)) &* 0x9E37_79B9_7F4A_7C15 }

  /// The next number, at least zero and below a bound.
  public mutating func next(below bound: Int) -> Int {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int(state >> 33) % bound
  }
}

extension SampleNumbers: RandomNumberGenerator {
  /// The next 64 bits, for the functions of the standard library that take a generator.
  public mutating func next() -> UInt64 {
    let bound = 1 << 22
    return (0..<3).reduce(0) { bits, _ in bits << 22 | UInt64(next(below: bound)) }
  }
}
