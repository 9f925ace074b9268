/// The statistics of one subject's samples.
internal struct Samples: Sendable {
  /// The middle one: half of the samples are below it.
  internal let median: Double
  /// The range of the middle half of the samples, as a part of the median; 0 for one sample.
  internal let spread: Double

  /// - Parameter values: The samples in any order; at least one.
  internal init(_ values: [Double]) {
    let sorted = values.sorted()
    let middle = sorted.count / 2
    median = sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
    let quarter = sorted.count / 4
    let width = sorted[sorted.count - 1 - quarter] - sorted[quarter]
    spread = median == 0 ? 0 : width / median
  }

  private init(median: Double, spread: Double) {
    self.median = median
    self.spread = spread
  }

  internal func divided(by divisor: Double) -> Samples {
    Samples(median: median / divisor, spread: spread)
  }
}
