/// The value of a number without sign, or `nil` if it is none or does not fit.
func number(_ text: some Collection<UInt8>, radix: UInt64) -> UInt64? {
  guard !text.isEmpty, text.count <= 20 else { return nil }
  var result: UInt64 = 0
  for byte in text {
    guard let digit = hexDigit(byte), UInt64(digit) < radix else { return nil }
    let (product, isTooLarge) = result.multipliedReportingOverflow(by: radix)
    let (sum, isTooLargeNow) = product.addingReportingOverflow(UInt64(digit))
    if isTooLarge || isTooLargeNow { return nil }
    result = sum
  }
  return result
}

/// The value of a hexadecimal digit.
func hexDigit(_ byte: UInt8) -> UInt8? {
  switch byte {
  case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
  case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
  case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
  default: nil
  }
}
