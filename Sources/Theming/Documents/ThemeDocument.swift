/// A theme as a file says it: what it sets itself, and the name of the theme it extends.
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
/// Bring the decoder: of JSON, property lists, YAML, or whatever else there is one for.
///
/// ```swift
/// func skin(from decoder: any Decoder, over base: Theme) throws -> Theme {
///   let document = try ThemeDocument<Skin>(from: decoder)
///   for issue in document.issues { print(issue) }
///   return try document.theme(extending: base)
/// }
/// ```
///
/// - `name` is required. Without `appearance` the theme has that of its base, or else is dark.
/// - `values` holds the values of the keys of the `Schema`, by name. Members in a group are written
///   in an object of their own or with dots, in any mixture. Where the schema has a key, what stands
///   there is its value, also when it is an object.
/// - `"{color.brand}"` makes a key read like another one with the same type of value. A text that
///   itself stands in braces is written in two pairs of them: `"{{like this}}"`. That goes for keys
///   with values of type `String`; what other types encode as one text must not stand in braces.
/// - What is not known is left out, and is one of the ``issues``. A value of a wrong type, `null`
///   included, is an error.
/// - When a key is set in several places, the one with the fewest levels counts, and of several such
///   the one whose path is first in the alphabet.
///
/// ## Thread safety
///
/// A value, to be copied and sent freely.
public struct ThemeDocument<Schema: ThemeSchema>: Sendable {
  /// The name of the theme.
  public let name: String

  /// The name of the theme that this one extends, or `nil` for none.
  public let extends: String?

  /// Whether the theme is light or dark, or `nil` where the document does not say.
  public let appearance: Appearance?

  /// What was left out, in the order of the keys; empty when everything was understood.
  public let issues: [ThemeIssue]

  /// What the document sets.
  let layer: ThemeLayer

  init(
    name: String,
    extends: String?,
    appearance: Appearance?,
    issues: [ThemeIssue],
    layer: ThemeLayer
  ) {
    self.name = name
    self.extends = extends
    self.appearance = appearance
    self.issues = issues.sorted { ($0.key, "\($0)") < ($1.key, "\($1)") }
    self.layer = layer
  }

  /// Creates the document of a theme.
  ///
  /// It holds what the theme says itself. What it reads from the theme it was derived from is left to
  /// that one: its name is what the document ``extends``.
  ///
  /// - Parameter theme: The theme. What it says about keys that are not in the `Schema`, aliases of
  ///   such keys, and values that are not `Codable` are left out, and are ``issues``.
  /// - Complexity: O(*k* + *n* · log *n*) for *k* keys of the schema and *n* entries of the theme, and
  ///   for each that is left out the search for the nearest name.
  public init(_ theme: Theme) {
    var writer = DocumentWriter(SchemaIndex(Schema.self), name: theme.name)
    writer.write(theme.stack.own)
    self.init(
      name: theme.name,
      extends: theme.stack.baseName,
      appearance: theme.appearance,
      issues: writer.issues,
      layer: writer.layer
    )
  }

  /// The theme that the document describes.
  ///
  /// - Parameters:
  ///   - base: The theme to lay it over, or `nil` when it stands on nothing. A base may be given
  ///     although the document names none, and one with another name than it ``extends``.
  ///   - strict: Whether ``issues``, and a base with another name, are errors.
  /// - Returns: The theme, a layer over its base: aliases of either follow what the other one sets.
  /// - Throws: ``ThemeError``, with the code ``ThemeError/Code/wrongBase`` when the document extends a
  ///   theme and no base is given; ``ThemeError/Code/issues`` when there are some and it is strict;
  ///   ``ThemeError/Code/aliasCycle`` when aliases, those of the base included, lead in a circle. When
  ///   several are true, the first of them.
  /// - Complexity: O(*n*) in the number of entries of all layers.
  public func theme(extending base: Theme? = nil, strict: Bool = false) throws(ThemeError) -> Theme
  {
    if let extends, base == nil || (strict && base?.name != extends) {
      throw ThemeError(.wrongBase, themes: [name, extends])
    }
    if strict, !issues.isEmpty { throw ThemeError(.issues, themes: [name], issues: issues) }
    var own = layer
    own.name = name
    own.appearance = appearance ?? (base == nil ? .dark : nil)
    return try Theme(base?.stack.adding(own) ?? ThemeStack(own)).checked()
  }
}

extension ThemeDocument: Codable {
  private enum Member: String, CaseIterable {
    case appearance, extends, name, values

    var key: DocumentKey { DocumentKey(stringValue: rawValue) }
  }

  /// Reads a document.
  ///
  /// - Throws: `DecodingError`, when there is no name, when a value has a wrong type or is `null`,
  ///   when a group is something else than an object, or when an alias names a key with another type
  ///   of value. The coding path of the error is the way to the value. What else a value throws is
  ///   the underlying error of one.
  /// - Complexity: O(*k* + *m* · log *m*) for *k* keys of the schema and *m* members of the document,
  ///   and for each that is unknown the search for the nearest name.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: DocumentKey.self)
    let name = try container.decode(String.self, forKey: Member.name.key)
    var reader = DocumentReader(SchemaIndex(Schema.self), name: name)
    if container.contains(Member.values.key) {
      try reader.read(
        container.nestedContainer(keyedBy: DocumentKey.self, forKey: Member.values.key)
      )
    }
    self.init(
      name: name,
      extends: try Self.read(.extends, of: container),
      appearance: try Self.read(.appearance, of: container),
      issues: Self.unknownMembers(of: container) + reader.issues,
      layer: reader.layer
    )
  }

  /// Writes the document, values with dotted names in the order of the alphabet.
  ///
  /// What it leaves out, its ``issues``, is not written.
  ///
  /// - Throws: What the encoder or a value throws.
  /// - Complexity: O(*n* · log *n*) for *n* entries.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: DocumentKey.self)
    try container.encode(name, forKey: Member.name.key)
    try container.encodeIfPresent(appearance, forKey: Member.appearance.key)
    try container.encodeIfPresent(extends, forKey: Member.extends.key)
    var values = container.nestedContainer(keyedBy: DocumentKey.self, forKey: Member.values.key)
    let keys = Array(layer.values.keys) + Array(layer.aliases.keys)
    for key in keys.sorted(by: { $0.name < $1.name }) {
      let member = DocumentKey(stringValue: key.name)
      switch layer[key] {
      case .value(let value): try key.codec?.encode(value, &values, member)
      case .alias(let target): try values.encode(AliasSyntax.alias(of: target.name), forKey: member)
      case nil: break
      }
    }
  }

  /// Reads a member that may be left out, and may not be `null`.
  private static func read<Value: Decodable>(
    _ member: Member,
    of container: KeyedDecodingContainer<DocumentKey>
  ) throws -> Value? {
    guard container.contains(member.key) else { return nil }
    return try container.decode(Value.self, forKey: member.key)
  }

  private static func unknownMembers(
    of container: KeyedDecodingContainer<DocumentKey>
  ) -> [ThemeIssue] {
    let known = Member.allCases.map(\.rawValue)
    return container.allKeys.map(\.stringValue).filter { !known.contains($0) }.map { name in
      let suggestion = NearestName.nearest(to: name, among: known)
      return ThemeIssue(.unknownMember, key: name, suggestion: suggestion)
    }
  }
}

/// The keys that a ``ThemeDocument`` may set.
///
/// ```swift
/// enum Skin: ThemeSchema {
///   static let keys: [ThemeKeys] = [.brand, .accent, .ground, .radius]
/// }
/// ```
///
/// A document knows keys by their names alone, so no two keys of a schema may have one name: a
/// schema with two such keys, of different types, traps when it is first used. The same key twice
/// does no harm. Keys whose type of value is not `Codable` may be listed: documents can make them
/// aliases, but cannot give them values.
///
/// ## Thread safety
///
/// ``keys`` is read on any thread, each time a document is made or read.
public protocol ThemeSchema: SendableMetatype {
  /// The keys, in any order.
  static var keys: [ThemeKeys] { get }
}
