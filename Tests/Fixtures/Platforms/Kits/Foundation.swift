// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// The part of Foundation that the demo and the tests use, for compilation for other systems. Declarations follow
// developer.apple.com/documentation/foundation; there are no Objective-C attributes. Nothing here is ever called.

public struct Data: Hashable, RandomAccessCollection, Sendable {
  public init<Bytes: Sequence>(_ bytes: Bytes) where Bytes.Element == UInt8 {}
  public var startIndex: Int { 0 }
  public var endIndex: Int { 0 }
  public subscript(position: Int) -> UInt8 { 0 }
}

public final class FileManager: Sendable {
  init() {}
  public static let `default` = FileManager()
  public func contentsOfDirectory(atPath path: String) throws -> [String] { [] }
  public func contents(atPath path: String) -> Data? { nil }
  public func attributesOfItem(atPath path: String) throws -> [FileAttributeKey: Any] { [:] }
}

public struct FileAttributeKey: Hashable, Sendable {
  public static let type = FileAttributeKey()
}

public struct FileAttributeType: Hashable, Sendable {
  public static let typeDirectory = FileAttributeType()
}

public final class JSONDecoder {
  public init() {}
  public func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
    fatalError("never called")  // Reason: a stand-in.
  }
}

public final class JSONEncoder {
  public init() {}
  public func encode<Value: Encodable>(_ value: Value) throws -> Data { Data([]) }
}

public final class PropertyListDecoder {
  public init() {}
  public func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
    fatalError("never called")  // Reason: a stand-in.
  }
}

public final class PropertyListEncoder {
  public init() {}
  public var outputFormat = PropertyListSerialization.PropertyListFormat.binary
  public func encode<Value: Encodable>(_ value: Value) throws -> Data { Data([]) }
}

public final class PropertyListSerialization {
  public enum PropertyListFormat: Sendable { case openStep, xml, binary }
}
