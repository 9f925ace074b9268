/// A colour in the sRGB space, eight bits a channel.
///
/// Colours are written and read as `#rrggbb`, or `#rrggbbaa` when they are not opaque; encoded, a
/// colour is that string.
public struct RGBA: Hashable, Sendable {
  /// The red channel.
  public var red: UInt8
  /// The green channel.
  public var green: UInt8
  /// The blue channel.
  public var blue: UInt8
  /// The opacity: 255 is opaque, 0 is invisible.
  public var alpha: UInt8

  /// Creates a colour from its channels.
  public init(red: UInt8, green: UInt8, blue: UInt8, alpha: UInt8 = 255) {
    self.red = red
    self.green = green
    self.blue = blue
    self.alpha = alpha
  }

  /// Reads a colour.
  ///
  /// - Parameter hex: `#rrggbb` or `#rrggbbaa`, or the short forms `#rgb` and `#rgba`, in either
  ///   case. The `#` may be left out. Anything else gives `nil`.
  public init?(hex: String) {
    var digits = Substring(hex)
    if digits.first == "#" { digits.removeFirst() }
    let nibbles = digits.utf8.compactMap(Self.nibble)
    guard nibbles.count == digits.utf8.count else { return nil }
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

  /// The colour as `#rrggbb`, or as `#rrggbbaa` when it is not opaque.
  public var hex: String {
    let channels = alpha == 255 ? [red, green, blue] : [red, green, blue, alpha]
    return "#" + channels.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  /// The contrast ratio of two colours, from 1 (none) to 21 (black and white), whichever comes
  /// first.
  ///
  /// As defined by the Web Content Accessibility Guidelines 2, which ask for 4.5 for text and 3 for
  /// large text. The opacity is left out: a translucent colour must be laid over its ground first.
  ///
  /// - SeeAlso: <https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio>
  public func contrast(with other: RGBA) -> Double {
    let lighter = max(luminance, other.luminance)
    let darker = min(luminance, other.luminance)
    return (lighter + 0.05) / (darker + 0.05)
  }

  /// What is seen when this colour is painted over another one.
  ///
  /// The channels are mixed as they are stored, the way browsers and terminals do it.
  ///
  /// - Parameter ground: What is below.
  /// - Returns: The mixture; opaque when the ground is.
  /// - SeeAlso: <https://www.w3.org/TR/compositing-1/#simplealphacompositing>
  public func laid(over ground: RGBA) -> RGBA {
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

  /// The light of a channel, its gamma taken away.
  private static func linear(_ channel: UInt8) -> Double {
    let value = Double(channel) / 255
    guard value > 0.04045 else { return value / 12.92 }
    return power12Over5((value + 0.055) / 1.055)
  }

  /// Raises a number between 0 and 1 to the power of 2.4, as its square times the fifth root of its
  /// square.
  ///
  /// By Newton's method, which uses nothing but the four operations: the result is the same to the
  /// last bit on every platform, and no mathematics library is needed.
  private static func power12Over5(_ base: Double) -> Double {
    let square = base * base
    var root = 1.0
    // From above the steps only fall, until rounding stops them.
    while true {
      let fourth = root * root * root * root
      let next = root - (root - square / fourth) / 5
      guard next < root else { return square * root }
      root = next
    }
  }

  private static func nibble(_ digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}

extension RGBA: CustomStringConvertible {
  /// The colour as ``hex``.
  public var description: String { hex }
}

extension RGBA: Codable {
  /// Reads the colour from a string.
  ///
  /// - Throws: `DecodingError`, when there is no string or it is not a colour.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    guard let colour = RGBA(hex: text) else {
      throw DecodingError.dataCorruptedError(
        in: container,
        debugDescription: "\"\(text)\" is not a colour: write #rrggbb or #rrggbbaa"
      )
    }
    self = colour
  }

  /// Writes the colour as ``hex``.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(hex)
  }
}
