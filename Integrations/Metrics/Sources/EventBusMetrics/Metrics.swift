internal import CoreMetrics

/// Makes metrics with a common prefix, common dimensions and a factory.
struct Metrics: Sendable {
  private let prefix: String
  private let dimensions: [(String, String)]
  private let factory: any MetricsFactory

  init(prefix: String, dimensions: [(String, String)] = [], factory: any MetricsFactory) {
    (self.prefix, self.dimensions, self.factory) = (prefix, dimensions, factory)
  }

  func counter(_ label: String, _ own: (String, String)...) -> Counter {
    Counter(label: "\(prefix).\(label)", dimensions: dimensions + own, factory: factory)
  }

  func timer(_ label: String, _ own: (String, String)...) -> Timer {
    Timer(label: "\(prefix).\(label)", dimensions: dimensions + own, factory: factory)
  }

  func gauge(_ label: String, _ own: (String, String)...) -> Gauge {
    Gauge(label: "\(prefix).\(label)", dimensions: dimensions + own, factory: factory)
  }
}

extension Timer {
  /// Records a duration, at most that of 64 bits of nanoseconds, 292 years.
  func record(_ duration: Duration) {
    recordNanoseconds(Int64(clamping: duration.attoseconds / 1_000_000_000))
  }
}
