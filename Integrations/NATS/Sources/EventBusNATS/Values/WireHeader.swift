/// The only header of a message: sender, sequence and schema.
///
/// All fields are in one line, as each further header costs the client about as much as sending the message:
///
///     1;mailbox-1;9f86d081884c7d65;42;1;json
///
/// The fields are the version of this format, the node, the incarnation, the sequence, the version of the
/// payload's schema, and the content type. Node and content type are percent-encoded.
package struct WireHeader: Sendable, Equatable {
  /// The name of the header.
  package static let name = "Event-Bus"
  /// The name of the header with the error of a dead letter.
  static let errorName = "Event-Bus-Error"

  /// The name of the sending node.
  package var node: String
  /// The random number of the bridge.
  package var incarnation: UInt64
  /// The number of the event among those of its name, of this bridge, counted from one.
  package var sequence: UInt64
  /// The version of the payload's schema.
  package var version: Int
  /// The content type of the payload.
  package var contentType: String

  /// Creates a header.
  package init(
    node: String,
    incarnation: UInt64,
    sequence: UInt64,
    version: Int,
    contentType: String
  ) {
    self.node = node
    self.incarnation = incarnation
    self.sequence = sequence
    self.version = version
    self.contentType = contentType
  }

  /// Reads a header.
  ///
  /// - Parameter bytes: The value of the header. Anything that was not written by ``bytes`` gives `nil`.
  /// - Complexity: O(*n*) in the length.
  package init?(_ bytes: [UInt8]) {
    guard bytes.count <= 2048 else { return nil }
    var reader = FieldReader(rest: bytes[...])
    guard let format = reader.next(), format.elementsEqual(CollectionOfOne(UInt8(ascii: "1"))),
      let node = reader.next().flatMap({ Subject.decode($0) }), !node.isEmpty,
      let incarnation = reader.next().flatMap({ number($0, radix: 16) }),
      let sequence = reader.next().flatMap({ number($0, radix: 10) }),
      let version = reader.next().flatMap({ number($0, radix: 10) }).flatMap(Int.init(exactly:)),
      let contentType = reader.next().flatMap({ Subject.decode($0) }),
      reader.isAtEnd
    else { return nil }
    self.init(
      node: node,
      incarnation: incarnation,
      sequence: sequence,
      version: version,
      contentType: contentType
    )
  }

  /// The value of the header.
  package var bytes: [UInt8] { Template(self).bytes(sequence: sequence) }

  /// The parts of a header that do not change from one event to the next.
  struct Template: Sendable {
    private let start: [UInt8]
    private let end: [UInt8]

    /// Creates a template from a header, whose sequence does not matter.
    init(_ header: WireHeader) {
      let incarnation = String(header.incarnation, radix: 16)
      start = Array("1;\(Subject.encode(header.node, keepsDots: false));\(incarnation);".utf8)
      let type = Subject.encode(header.contentType, keepsDots: false)
      end = Array(";\(header.version);\(type)".utf8)
    }

    /// The value of a header with a sequence.
    ///
    /// - Complexity: One allocation.
    func bytes(sequence: UInt64) -> [UInt8] {
      unsafe [UInt8](unsafeUninitializedCapacity: start.count + 20 + end.count) { buffer, count in
        var position = 0
        func append(_ byte: UInt8) {
          unsafe buffer[position] = byte  // Reason: the capacity is that of all parts.
          position += 1
        }
        for byte in start { append(byte) }
        var divisor: UInt64 = 1
        while sequence / divisor > 9 { divisor *= 10 }
        while divisor > 0 {
          append(UInt8(ascii: "0") + UInt8(sequence / divisor % 10))
          divisor /= 10
        }
        for byte in end { append(byte) }
        count = position
      }
    }
  }
}

/// Reads headers, most of which differ from the previous one in the sequence only.
package struct HeaderReader: Sendable {
  private var last: WireHeader?
  /// The bytes before and after the sequence in the last header.
  private var start: [UInt8] = []
  private var end: [UInt8] = []

  /// Creates a reader without a previous header.
  package init() {}

  /// Reads a header, as ``WireHeader/init(_:)`` does.
  package mutating func read(_ bytes: [UInt8]) -> WireHeader? {
    if var header = last, bytes.count > start.count + end.count, bytes.starts(with: start),
      bytes.suffix(end.count).elementsEqual(end),
      let sequence = number(bytes[start.count..<bytes.count - end.count], radix: 10)
    {
      header.sequence = sequence
      return header
    }
    guard let header = WireHeader(bytes) else { return nil }
    let separators = bytes.indices.filter { bytes[$0] == UInt8(ascii: ";") }
    // The fields: format, node, incarnation, sequence, version, content type.
    if separators.count == 5 {
      (start, end) = (Array(bytes[...separators[2]]), Array(bytes[separators[3]...]))
      last = header
    }
    return header
  }
}

/// Splits bytes at semicolons.
private struct FieldReader {
  private(set) var rest: ArraySlice<UInt8>?

  init(rest: ArraySlice<UInt8>) { self.rest = rest }

  var isAtEnd: Bool { rest == nil }

  mutating func next() -> ArraySlice<UInt8>? {
    guard let rest else { return nil }
    guard let end = rest.firstIndex(of: UInt8(ascii: ";")) else {
      self.rest = nil
      return rest
    }
    self.rest = rest[rest.index(after: end)...]
    return rest[..<end]
  }
}
