internal import EventBus

/// Strings and source sites with short indices, which are never given to another string.
///
/// The numbers of strings and of sites are bounded, each for itself, so that a program that makes up names does not
/// hide the sites of its code: what comes after a limit has the index of ``overflow``.
struct StringTable {
  /// The text in place of what exceeds the limits.
  static let overflow = "(more)"

  /// The maximum length of a string.
  static let length = 200

  private(set) var strings = [Self.overflow]
  private var indices: [String: UInt32] = [:]
  private var sites: [SourceSite: UInt32] = [:]
  private let limit: Int

  /// Creates a table.
  ///
  /// - Parameter limit: The maximum number of strings, and of sites.
  init(limit: Int) { self.limit = limit }

  /// Returns the index of a string.
  mutating func index(of string: String) -> UInt32 {
    // Also the key: long names share an index if they begin alike, and cost no more than short ones.
    let string = string.shortened(to: Self.length)
    if let index = indices[string] { return index }
    guard indices.count < limit else { return 0 }
    let index = append(string)
    indices[string] = index
    return index
  }

  /// Returns the index of a source site.
  mutating func index(of site: SourceSite) -> UInt32 {
    if let index = sites[site] { return index }
    guard sites.count < limit else { return 0 }
    let index = append(site.description.shortened(to: Self.length))
    sites[site] = index
    return index
  }

  private mutating func append(_ string: String) -> UInt32 {
    strings.append(string)
    return UInt32(strings.count - 1)
  }
}

extension String {
  /// The string, cut off after a number of Unicode scalars: a single character may be of any length.
  func shortened(to count: Int) -> String {
    // Counting bytes is enough in the usual case.
    if utf8.count <= count { return self }
    let start = unicodeScalars.prefix(count)
    return start.endIndex == endIndex ? self : String(start) + "…"
  }
}
