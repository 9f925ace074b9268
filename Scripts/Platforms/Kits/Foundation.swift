// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// The part of Foundation that the demo uses, for compilation for other systems. Declarations follow
// developer.apple.com/documentation/foundation; there are no Objective-C attributes. Nothing here is ever called.

public struct Data: Sendable {
  public init<Bytes: Sequence>(_ bytes: Bytes) where Bytes.Element == UInt8 {}
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
