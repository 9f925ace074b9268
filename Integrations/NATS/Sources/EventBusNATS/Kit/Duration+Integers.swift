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
