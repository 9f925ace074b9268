internal import EventBus

/// A color in the sRGB color space with eight bits per channel.
///
/// The textual form is `#rrggbb`, or `#rrggbbaa` for colors that are not opaque. A color encodes
/// as that string.
public struct RGBA: Hashable, Sendable {
  /// The red channel.
  public var red: UInt8
  /// The green channel.
  public var green: UInt8
  /// The blue channel.
  public var blue: UInt8
  /// The opacity, from 0 (invisible) to 255 (opaque).
  public var alpha: UInt8

  /// Creates a color from its channels.
  public init(red: UInt8, green: UInt8, blue: UInt8, alpha: UInt8 = 255) {
    self.red = red
    self.green = green
    self.blue = blue
    self.alpha = alpha
  }

  /// Creates an opaque color from a number, as it is written in a style sheet: `RGBA(0x6EA0FF)`.
  ///
  /// - Parameters:
  ///   - rgb: The channels, eight bits each: red, green and blue. At most `0xFFFFFF`; a larger number traps,
  ///     because it may have been meant to contain the opacity.
  ///   - fileID: The file of the call; filled in by the compiler.
  ///   - line: The line in that file; filled in by the compiler.
  public init(_ rgb: UInt32, fileID: StaticString = #fileID, line: UInt = #line) {
    if rgb > 0xFFFFFF {
      trap(
        "The color 0x\(String(rgb, radix: 16, uppercase: true)) has more than six digits",
        remedy: "Pass the opacity as alpha: in init(red:green:blue:alpha:)",
        fileID: fileID,
        line: line
      )
    }
    self.init(
      red: UInt8(truncatingIfNeeded: rgb >> 16),
      green: UInt8(truncatingIfNeeded: rgb >> 8),
      blue: UInt8(truncatingIfNeeded: rgb)
    )
  }

  /// Creates a color from its textual form.
  ///
  /// - Parameter hex: `#rrggbb` or `#rrggbbaa`, or one of the short forms `#rgb` and `#rgba`, in
  ///   either case. The `#` is optional. Any other text gives `nil`.
  public init?(hex: String) {
    var digits = Substring(hex)
    if digits.first == "#" { digits.removeFirst() }
    // Other scripts also have hexadecimal digits.
    let nibbles = digits.compactMap { $0.isASCII ? $0.hexDigitValue.map(UInt8.init) : nil }
    guard nibbles.count == digits.count else { return nil }
    let channels: [UInt8]
    switch nibbles.count {
    case 3, 4: channels = nibbles.map { $0 * 17 }
    case 6, 8:
      let pairs = stride(from: 0, to: nibbles.count, by: 2)
      channels = pairs.map { nibbles[$0] * 16 + nibbles[$0 + 1] }
    default: return nil
    }
    self.init(
      red: channels[0],
      green: channels[1],
      blue: channels[2],
      alpha: channels.count == 4 ? channels[3] : 255
    )
  }

  /// The color as `#rrggbb`, or as `#rrggbbaa` if it is not opaque.
  public var hex: String {
    let channels = alpha == 255 ? [red, green, blue] : [red, green, blue, alpha]
    return "#" + channels.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  /// Computes the contrast ratio of two colors, from 1 (none) to 21 (black and white).
  ///
  /// The order of the colors does not matter. The definition is that of the Web Content
  /// Accessibility Guidelines 2, which require 4.5 for text and 3 for large text. The ratio ignores
  /// opacity: composite a translucent color over its background first.
  ///
  /// - SeeAlso: <https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio>
  public func contrast(with other: RGBA) -> Double {
    let lighter = max(luminance, other.luminance)
    let darker = min(luminance, other.luminance)
    return (lighter + 0.05) / (darker + 0.05)
  }

  /// Composites this color over another one.
  ///
  /// The channels are mixed as stored, without linearization, as browsers and terminals do.
  ///
  /// - Parameter ground: The color below.
  /// - Returns: The mixture; opaque if `ground` is opaque.
  /// - SeeAlso: <https://www.w3.org/TR/compositing-1/#simplealphacompositing>
  package func laid(over ground: RGBA) -> RGBA {
    if alpha == 255 { return self }
    let (above, below) = (Int(alpha), Int(ground.alpha))
    // In units of 1 ÷ 255².
    let opacity = above * 255 + below * (255 - above)
    guard opacity > 0 else { return RGBA(red: 0, green: 0, blue: 0, alpha: 0) }
    func mix(_ upper: UInt8, _ lower: UInt8) -> UInt8 {
      let sum = Int(upper) * above * 255 + Int(lower) * below * (255 - above)
      return UInt8((sum + opacity / 2) / opacity)
    }
    return RGBA(
      red: mix(red, ground.red),
      green: mix(green, ground.green),
      blue: mix(blue, ground.blue),
      alpha: UInt8((opacity + 127) / 255)
    )
  }

  /// The relative luminance, from 0 (black) to 1 (white).
  private var luminance: Double {
    0.2126 * Self.linear(red) + 0.7152 * Self.linear(green) + 0.0722 * Self.linear(blue)
  }

  /// Converts a gamma-encoded channel to linear light.
  private static func linear(_ channel: UInt8) -> Double {
    let value = Double(channel) / 255
    guard value > 0.04045 else { return value / 12.92 }
    return power12Over5((value + 0.055) / 1.055)
  }

  /// Raises a number between 0 and 1 to the power of 2.4: its square times the fifth root of its
  /// square.
  ///
  /// Newton's method needs nothing but the four basic operations, so the result is identical to the
  /// last bit on every platform, and no mathematics library is linked.
  private static func power12Over5(_ base: Double) -> Double {
    let square = base * base
    var root = 1.0
    // Starting from above, the iterates decrease until rounding stops them.
    while true {
      let fourth = root * root * root * root
      let next = root - (root - square / fourth) / 5
      guard next < root else { return square * root }
      root = next
    }
  }
}

extension RGBA: CustomStringConvertible {
  /// The color as ``hex``.
  public var description: String { hex }
}

extension RGBA: Codable {
  /// Decodes a color from its textual form.
  ///
  /// - Throws: `DecodingError` if the value is not a string, or the string is not a color; any error that the
  ///   decoder throws.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    guard let color = RGBA(hex: text) else {
      throw DecodingError.dataCorruptedError(
        in: container,
        debugDescription: "\"\(text)\" is not a color: write #rrggbb or #rrggbbaa"
      )
    }
    self = color
  }

  /// Encodes the color as ``hex``.
  ///
  /// - Throws: Any error that the encoder throws.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(hex)
  }
}
