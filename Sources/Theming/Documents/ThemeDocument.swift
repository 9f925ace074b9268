internal import EventBus

/// The contents of a theme file: the values a theme sets itself, and the name of the theme it extends.
///
/// ```json
/// {
///   "name": "Fog",
///   "appearance": "light",
///   "extends": "Day",
///   "values": {
///     "color": { "brand": "#5a7184", "accent": "{color.brand}" },
///     "corner.radius": 6
///   }
/// }
/// ```
///
/// Use any decoder: for JSON, property lists, YAML or another format.
///
/// ```swift
/// extension ThemeKeys {
///   static let ground = ThemeKey("color.ground", default: RGBA(red: 20, green: 24, blue: 32))
///   static let margin = ThemeKey("margin", default: 2)
/// }
///
/// enum AppTheme: ThemeSchema {
///   static let keys: [AnyThemeKey] = [.ground, .margin]
/// }
///
/// func theme(from decoder: any Decoder, over base: Theme) throws -> Theme {
///   let document = try ThemeDocument<AppTheme>(from: decoder)
///   for issue in document.issues { print(issue) }
///   return try document.theme(extending: base)
/// }
/// ```
///
/// - `name` is required. Without `appearance`, the theme has the appearance of its base, or is dark
///   if it has no base.
/// - `values` holds the values of the keys of the `Schema`, by name. Write the members of a group in
///   a nested object or with dotted names, in any mixture. A member with the name of a key is the
///   value of that key, even if it is an object.
/// - `"{color.brand}"` is an alias of a key with the same type of value. Enclose a text that is
///   itself in braces in a second pair: `"{{like this}}"`. That applies to keys with values of type
///   `String`; values of other types that encode as text must not be in braces.
/// - Unknown members and keys, values of a wrong type and `null` are left out and reported in ``issues``; the rest
///   of the document is read. To make them errors, as suits your own documents, pass `strict: true` to
///   ``theme(extending:strict:)``.
/// - If a document sets a key more than once, the setting with the fewest levels is used, and among
///   those the one whose path comes first alphabetically.
///
/// ## Thread safety
///
/// A value type, free to copy and send.
public struct ThemeDocument<Schema: ThemeSchema>: Sendable {
  /// The name of the theme.
  public let name: String

  /// The name of the theme that this one extends, or `nil` for none.
  public let extends: String?

  /// The appearance, or `nil` if the document does not set one.
  public let appearance: Appearance?

  /// The parts left out, in the order of their keys; empty if the whole document is valid.
  public let issues: [ThemeIssue]

  /// The entries of the document.
  let entries: [AnyThemeKey: ThemeLayer.Entry]

  private init(
    name: String,
    extends: String?,
    appearance: Appearance?,
    _ contents: DocumentContents,
    issues: [ThemeIssue] = []
  ) {
    self.name = name
    self.extends = extends
    self.appearance = appearance
    self.issues = contents.orderedIssues(adding: issues, members: Self.members)
    entries = contents.entries
  }

  /// The members of a document.
  private static var members: [String] { ["appearance", "extends", "name", "values"] }

  /// Creates a document from a theme.
  ///
  /// The document contains the theme's own entries. Entries of the theme it was derived from are
  /// not included; the document ``extends`` that theme by name.
  ///
  /// - Parameter theme: The theme. Entries for keys outside the `Schema`, aliases of such keys, and
  ///   values that are not `Codable` are left out and reported in ``issues``.
  /// - Complexity: O(*k* + *n* · log *n*) for *k* keys of the schema and *n* entries of the theme,
  ///   plus the search for the closest name for the first 100 entries left out.
  public init(_ theme: Theme) {
    var contents = DocumentContents(Schema.self)
    contents.add(theme.own)
    self.init(name: theme.name, extends: theme.baseName, appearance: theme.appearance, contents)
  }

  /// Creates the theme that the document describes.
  ///
  /// - Parameters:
  ///   - base: The theme to extend, or `nil` for none. A base is allowed even if the document names
  ///     none or, unless `strict` is `true`, another one; see ``extends``.
  ///   - strict: Pass `true` to treat ``issues``, and a base with another name, as errors.
  /// - Returns: The theme, as a layer over its base: aliases in either follow values set in the
  ///   other.
  /// - Throws: ``ThemeError``. The code is ``ThemeError/Code/wrongBase`` if the document extends a
  ///   theme and `base` is `nil`, or if `strict` is `true` and `base` has another name;
  ///   ``ThemeError/Code/issues`` if `strict` is `true` and there are issues;
  ///   ``ThemeError/Code/aliasCycle`` if aliases, including those of the base, form a cycle. If
  ///   several apply, the first is thrown.
  /// - Complexity: O(*n*) in the number of entries of all layers.
  public func theme(extending base: Theme? = nil, strict: Bool = false) throws(ThemeError) -> Theme
  {
    if let extends, base == nil || (strict && base?.name != extends) {
      throw ThemeError(.wrongBase, themes: [name, extends], givenBase: base?.name)
    }
    if strict, !issues.isEmpty { throw ThemeError(.issues, themes: [name], issues: issues) }
    let ownAppearance = appearance ?? (base == nil ? .dark : nil)
    let own = ThemeLayer(name: name, appearance: ownAppearance, entries: entries)
    return try (base?.adding(own) ?? Theme(layers: [own])).checked()
  }
}

extension ThemeDocument: Codable {
  /// Decodes a document.
  ///
  /// A value of a wrong type, a value that its type refuses, `null`, a group that is not an object,
  /// and an alias of a key with another type of value are left out and reported in ``issues``.
  ///
  /// - Throws: `DecodingError` if the document is not an object, the name is missing, or `name`, `extends` or
  ///   `values` has a wrong type. Any error that the decoder throws.
  /// - Complexity: O(*k* + *m* · log *m*) for *k* keys of the schema and *m* members of the
  ///   document, plus the search for the closest name for the first 100 unknown ones.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: DocumentKey.self)
    let name = try container.decode(String.self, forKey: "name")
    var contents = DocumentContents(Schema.self)
    if container.contains("values") { contents.read(try container.group("values")) }
    let unknown = container.allKeys.map(\.stringValue).filter { !Self.members.contains($0) }
    var issues = unknown.map { ThemeIssue(.unknownMember, key: $0) }
    var appearance: Appearance?
    do {
      appearance = try Self.decode("appearance", from: container)
    } catch {
      let problem = valueProblem(error, pathLength: container.codingPath.count + 1)
      issues.append(ThemeIssue(.unreadableValue(problem: problem), key: "appearance"))
    }
    self.init(
      name: name,
      extends: try Self.decode("extends", from: container),
      appearance: appearance,
      contents,
      issues: issues
    )
  }

  /// Decodes an optional member, which must not be `null`.
  private static func decode<Value: Decodable>(
    _ member: DocumentKey,
    from container: KeyedDecodingContainer<DocumentKey>
  ) throws -> Value? {
    guard container.contains(member) else { return nil }
    return try container.decode(Value.self, forKey: member)
  }

  /// Encodes the document, with dotted names in alphabetical order.
  ///
  /// The parts listed in ``issues`` are not encoded.
  ///
  /// - Throws: Any error that the encoder or a value throws.
  /// - Complexity: O(*n* · log *n*) for *n* entries.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: DocumentKey.self)
    try container.encode(name, forKey: "name")
    try container.encodeIfPresent(appearance, forKey: "appearance")
    try container.encodeIfPresent(extends, forKey: "extends")
    var values = container.nestedContainer(keyedBy: DocumentKey.self, forKey: "values")
    for (key, entry) in entries.ordered(by: { $0.key.name < $1.key.name }) {
      let member = DocumentKey(stringValue: key.name)
      switch entry {
      case .value(let box):
        if let type = key.codableType { try Self.encode(box, as: type, into: &values, member) }
      case .alias(let target): try values.encode(target.name.asAlias, forKey: member)
      }
    }
  }

  /// Encodes the value in a box, which must have this type.
  private static func encode<Value: CodableThemeValue>(
    _ box: any AnyThemeValue,
    as type: Value.Type,
    into values: inout KeyedEncodingContainer<DocumentKey>,
    _ member: DocumentKey
  ) throws {
    guard let box = box as? ThemeValue<Value> else { return }
    try values.encode(changingText(in: box.value, \.escaped), forKey: member)
  }
}

/// The name of a member of a document.
struct DocumentKey: CodingKey, ExpressibleByStringLiteral {
  let stringValue: String

  /// Always `nil`: documents have names, not numbers.
  var intValue: Int? { nil }

  init(stringValue: String) { self.stringValue = stringValue }

  init(stringLiteral name: String) { stringValue = name }

  init?(intValue: Int) { nil }
}

/// The keys that a ``ThemeDocument`` can set.
///
/// ```swift
/// extension ThemeKeys {
///   static let ground = ThemeKey("color.ground", default: RGBA(red: 20, green: 24, blue: 32))
///   static let margin = ThemeKey("margin", default: 2)
/// }
///
/// enum AppTheme: ThemeSchema {
///   static let keys: [AnyThemeKey] = [.ground, .margin]
/// }
/// ```
///
/// A document identifies keys by name, so the names in a schema must be unique. A schema with two
/// keys of the same name and different types traps on first use. Listing the same key twice is
/// harmless. Keys whose type of value is not `Codable` are allowed: documents can make them
/// aliases, but cannot set their values.
///
/// ## Thread safety
///
/// ``keys`` is read on any thread, each time a document is created or decoded.
public protocol ThemeSchema: SendableMetatype {
  /// The keys, in any order.
  static var keys: [AnyThemeKey] { get }
}
