/// Something in a theme's document that was left out, because it could not be understood.
public struct ThemeIssue: Hashable, Sendable {
  /// The kind of issue.
  public enum Code: Hashable, Sendable {
    /// The document has no use for a member of this name, beside `name`, `values` and the others.
    case unknownMember
    /// No key of the schema has this name.
    case unknownKey
    /// The alias points at a name that no key of the schema has.
    case unknownAlias(target: String)
    /// Two places in the document set this key; the one with fewer levels was taken.
    case duplicateKey
    /// The type of the key's values cannot be read from files or written to them: it is not
    /// `Codable`.
    case notCodable
  }

  /// The kind of issue.
  public let code: Code

  /// Where it is: the name of the key or of the member, with dots between groups.
  public let key: String

  /// The known name that is nearest to the one that was not, or `nil` when none is near.
  public let suggestion: String?

  internal init(_ code: Code, key: String, suggestion: String? = nil) {
    self.code = code
    self.key = key
    self.suggestion = suggestion
  }
}

extension ThemeIssue: CustomStringConvertible {
  /// What is wrong, where, and what was perhaps meant.
  public var description: String {
    problem + (suggestion.map { "; did you mean \"\($0)\"?" } ?? "")
  }

  private var problem: String {
    switch code {
    case .unknownMember: "\"\(key)\" is no member of a theme"
    case .unknownKey: "\"\(key)\" is no key of the theme"
    case .unknownAlias(let target):
      "\"\(key)\" points at \"\(target)\", which is no key of the theme"
    case .duplicateKey: "\"\(key)\" is set twice"
    case .notCodable: "\"\(key)\" has values that are not Codable"
    }
  }
}
