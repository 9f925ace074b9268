// Themes as values: layers, aliases, the origin of a value, contrast, and documents.

import Theming

extension ThemeKeys {
  static let brand = ThemeKey("color.brand", default: RGBA(0x007AFF))
  static let accent = ThemeKey("color.accent", default: RGBA(0x007AFF))
  static let ground = ThemeKey("color.ground", default: RGBA(0x141820))
  static let radius = ThemeKey("corner.radius", default: 4)
}

var night = Theme("Night", appearance: .dark)
night[.brand] = RGBA(0x6EA0FF)
night[alias: .accent] = .brand
let ember = night.deriving("Ember") { $0[.brand] = RGBA(0xFF783C) }

print(ember.explain(.accent))

let rules = [ContrastRule(.accent, on: .ground, atLeast: 4.5)]
for issue in ember.contrastIssues(rules) { print(issue) }

enum AppTheme: ThemeSchema {
  static let keys: [AnyThemeKey] = [.brand, .accent, .ground, .radius]
}

func theme(from decoder: any Decoder, over base: Theme) throws -> Theme {
  let document = try ThemeDocument<AppTheme>(from: decoder)
  for issue in document.issues { print(issue) }
  return try document.theme(extending: base)
}

func isAlright(_ document: ThemeDocument<AppTheme>, over base: Theme) -> Bool {
  do throws(ThemeError) {
    return try document.theme(extending: base, strict: true).contrastIssues(rules).isEmpty
  } catch {
    print(error)  // the problem, and the closest known name
    return false
  }
}

protocol ThemeStore {
  var files: [String] { get }
  func decoder(for file: String) throws -> any Decoder
}

@MainActor func register(_ store: some ThemeStore, in manager: ThemeManager) {
  let loaded = ThemeDocument<AppTheme>.load(store.files, extending: [night, ember]) { file in
    try ThemeDocument(from: store.decoder(for: file))
  }
  manager.register(loaded.themes)
  for issue in loaded.issues { print(issue) }
}

let document = ThemeDocument<AppTheme>(ember)  // "Ember", extends "Night", one value
// snippet.hide
/// Stands for the decoder of a real format.
struct Tree: Decoder, SingleValueDecodingContainer {
  let node: Any
  var codingPath: [any CodingKey] = []
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  struct Refused: Error {}

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    guard let members = node as? [String: Any] else { throw Refused() }
    return KeyedDecodingContainer(Branch(members: members, codingPath: codingPath))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw Refused() }
  func singleValueContainer() -> any SingleValueDecodingContainer { self }
  func decodeNil() -> Bool { false }

  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    if let value = node as? Value { return value }
    guard !(type is String.Type) else { throw Refused() }
    return try Value(from: self)
  }
}

struct Branch<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let members: [String: Any]
  let codingPath: [any CodingKey]

  var allKeys: [Key] { members.keys.compactMap { Key(stringValue: $0) } }
  func contains(_ key: Key) -> Bool { members[key.stringValue] != nil }
  func decodeNil(forKey key: Key) throws -> Bool { false }
  func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
    try tree(key).decode(type)
  }
  func nestedContainer<Inner: CodingKey>(
    keyedBy type: Inner.Type,
    forKey key: Key
  ) throws -> KeyedDecodingContainer<Inner> { try tree(key).container(keyedBy: type) }
  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    throw Tree.Refused()
  }
  func superDecoder() throws -> any Decoder { throw Tree.Refused() }
  func superDecoder(forKey key: Key) throws -> any Decoder { tree(key) }

  private func tree(_ key: Key) -> Tree {
    Tree(node: members[key.stringValue] ?? "", codingPath: codingPath + [key])
  }
}

let values: [String: Any] = [
  "color": ["brand": "#5a7184", "accent": "{color.brand}"], "corner.radius": 6,
]
let sample: [String: Any] = [
  "name": "Fog", "appearance": "light", "extends": "Day", "values": values,
]
let day = Theme("Day", appearance: .light)
let fog = try theme(from: Tree(node: sample), over: day)
precondition(fog.name == "Fog" && fog.appearance == .light && fog[.radius] == 6)
precondition(fog[.accent].hex == "#5a7184" && ember[.accent].hex == "#ff783c")
precondition(
  ember.explain(.accent).description
    == "color.accent → color.brand (Night)\ncolor.brand = #ff783c (Ember)"
)
precondition(document.extends == "Night" && isAlright(document, over: night))
precondition(!isAlright(document, over: ember))

/// One document that extends Night.
struct OneFile: ThemeStore {
  let node: Any
  let files = ["mist.json"]
  func decoder(for file: String) throws -> any Decoder { Tree(node: node) }
}

let mist: [String: Any] = ["name": "Mist", "extends": "Night", "values": values]
register(OneFile(node: mist), in: ThemeManager.shared)
try ThemeManager.shared.use("Mist")
precondition(ThemeManager.shared.theme[.radius] == 6)
