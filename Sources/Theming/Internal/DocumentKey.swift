/// The name of a member in a document, whatever it is.
internal struct DocumentKey: CodingKey {
  internal let stringValue: String

  /// Documents have names and no numbers.
  internal var intValue: Int? { nil }

  internal init(stringValue: String) { self.stringValue = stringValue }

  internal init?(intValue: Int) { nil }
}
