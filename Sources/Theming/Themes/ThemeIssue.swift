internal import EventBus

/// A part of a theme document that was left out because it is not valid.
public struct ThemeIssue: Sendable {
  /// The kind of an issue.
  public enum Code: Sendable {
    /// A document has no member of this name: its members are `name`, `appearance`, `extends` and `values`.
    case unknownMember
    /// No key of the schema has this name.
    case unknownKey
    /// The target of the alias is not the name of a key of the schema.
    case unknownAlias(target: String)
    /// The document sets this key twice; the setting with fewer levels is used.
    case duplicateKey
    /// The type of the key's values is not `Codable`, so files cannot hold them.
    case notCodable
    /// The value has a wrong type, is `null`, or was refused by the type of the key's values.
    ///
    /// The problem says what is wrong and what to write.
    case unreadableValue(problem: String)
  }

  /// The kind of the issue.
  public let code: Code

  /// The name of the key or member, with dots between groups.
  public let key: String

  /// The known name closest to an unknown one, or `nil` if none is close.
  ///
  /// Only the first 100 unknown names of a document have one, so that reading a file with any
  /// number of them takes little time.
  public internal(set) var suggestion: String?

  init(_ code: Code, key: String) {
    self.code = code
    self.key = key
  }

  /// The name that is unknown, if that is the issue.
  var unknownName: String? {
    switch code {
    case .unknownMember, .unknownKey: key
    case .unknownAlias(let target): target
    case .duplicateKey, .notCodable, .unreadableValue: nil
    }
  }
}

extension ThemeIssue: CustomStringConvertible {
  /// The issue, its location and a suggestion if there is one, in one line.
  ///
  /// Line breaks in names and values, which come from a file, are escaped.
  public var description: String {
    (problem + (suggestion.map { "; did you mean \"\($0)\"?" } ?? "")).onOneLine
  }

  private var problem: String {
    switch code {
    case .unknownMember: "\"\(key)\" is not a member of a theme"
    case .unknownKey: "\"\(key)\" is not a key of the theme"
    case .unknownAlias(let target):
      "\"\(key)\" points at \"\(target)\", which is not a key of the theme"
    case .duplicateKey:
      "\"\(key)\" is set twice; the setting with fewer levels is used: remove the other one"
    case .notCodable:
      "\"\(key)\" has values that are not Codable: make their type Codable, or leave the key out of the schema"
    case .unreadableValue(let problem): "\"\(key)\" \(problem)"
    }
  }
}
