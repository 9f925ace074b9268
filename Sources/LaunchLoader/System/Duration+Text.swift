extension Duration {
  /// The approximate duration in seconds, for ratios.
  var inSeconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }

  /// The duration in a suitable unit, truncated to at most two decimal digits.
  ///
  /// At most nine characters for anything under ten million seconds: `120 ns`, `1.05 ms`, `12.34 s`.
  package var shortText: String {
    guard self >= .zero else { return "-" + (.zero - self).shortText }
    // More seconds than an integer holds count as that many.
    let (seconds, attoseconds) = min(self, .seconds(Int64.max)).components
    let nanoseconds = attoseconds / 1_000_000_000
    if seconds >= 1_000 { return "\(seconds) s" }
    if seconds > 0 { return Self.text(seconds, hundredths: nanoseconds / 10_000_000, unit: "s") }
    if nanoseconds >= 1_000_000 {
      return Self.text(nanoseconds / 1_000_000, hundredths: nanoseconds / 10_000 % 100, unit: "ms")
    }
    if nanoseconds >= 1_000 {
      return Self.text(nanoseconds / 1_000, hundredths: nanoseconds / 10 % 100, unit: "µs")
    }
    return "\(nanoseconds) ns"
  }

  private static func text(_ whole: Int64, hundredths: Int64, unit: String) -> String {
    guard hundredths > 0 else { return "\(whole) \(unit)" }
    return "\(whole).\(hundredths < 10 ? "0" : "")\(hundredths) \(unit)"
  }
}
