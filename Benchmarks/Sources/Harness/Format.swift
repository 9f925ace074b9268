/// A number with about three digits that count: 0.042, 3.31, 26.4, 911, 17,544.
internal func format(_ value: Double) -> String {
  let magnitude = abs(value)
  let decimals = magnitude >= 100 ? 0 : magnitude >= 10 ? 1 : magnitude >= 0.1 ? 2 : 3
  let scale = [1, 10, 100, 1_000][decimals]
  let scaled = Int(magnitude * Double(scale) + 0.5)
  let fraction = String(scaled % scale + scale).dropFirst()
  let sign = value < 0 && scaled != 0 ? "-" : ""
  let whole = grouped(scaled / scale)
  // A number without a fraction is written without one.
  return sign + (fraction.allSatisfy { $0 == "0" } ? whole : "\(whole).\(fraction)")
}

private func grouped(_ number: Int) -> String {
  guard number >= 1_000 else { return String(number) }
  return grouped(number / 1_000) + "," + String(number % 1_000 + 1_000).dropFirst()
}
