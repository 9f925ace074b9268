import LaunchLoader
import Theming

// MARK: Values of keys

func valueOfAnotherType(_ theme: inout Theme) {
  // expected-error@+1 {{'subscript(_:)' is unavailable: the key's values have another type; see its declaration}}
  theme[ThemeKeys.color] = 1
}

func valueOfAnotherTypeForAKeyWithALeadingDot(_ theme: inout Theme) {
  // expected-error@+1 {{'subscript(_:)' is unavailable: the key's values have another type; see its declaration}}
  theme[.color] = 1
}

func valueOfTheKeysType(_ theme: inout Theme) -> Int {
  theme[.size] = 2
  return theme[.size]
}

func keyWhoseValueMayNotBeShared(_ value: Unshared) {
  // expected-error@+1 2 {{type 'Unshared' does not conform to the 'Sendable' protocol}}
  _ = ThemeKey("misuse.unshared", default: value)
}

func keyWhoseValueCannotBeCompared(_ value: Shared) {
  // expected-error@+1 {{generic class 'ThemeKey' requires that 'Shared' conform to 'Equatable'}}
  _ = ThemeKey("misuse.shared", default: value)
}

func keyWithoutAValue() {
  // expected-error@+2 {{'AnyThemeKey' initializer is inaccessible due to 'internal' protection level}}
  // expected-error@+1 {{missing arguments}}
  _ = AnyThemeKey()
}

// MARK: Aliases

func aliasOfAnotherType(_ theme: inout Theme) {
  // expected-error@+1 {{member 'size' in 'ThemeKey<RGBA>?' produces result of type 'ThemeKey<Int>', but context expects 'ThemeKey<RGBA>?'}}
  theme[alias: .color] = .size
}

func aliasOfAnotherTypeWrittenOut(_ theme: inout Theme) {
  // expected-error@+2 {{cannot assign value of type 'ThemeKey<Int>' to type 'ThemeKey<RGBA>'}}
  // expected-note@+1 {{arguments to generic parameter 'Value' ('Int' and 'RGBA') are expected to be equal}}
  theme[alias: ThemeKeys.color] = ThemeKeys.size
}

func valueForAnAlias(_ theme: inout Theme) {
  // expected-error@+1 {{cannot assign value of type 'Int' to subscript of type 'ThemeKey<Int>'}}
  theme[alias: ThemeKeys.size] = 2
}

extension ThemeKeys {
  static let accent = ThemeKey("misuse.accent", default: RGBA(red: 0, green: 0, blue: 0))
}

func aliasOfTheSameType(_ theme: inout Theme) {
  theme[alias: .color] = .accent
  theme[alias: .color] = nil
}

// MARK: Views

@MainActor
func viewThatFollowsTheTheme(_ view: View) {
  ThemeManager.shared.follow(view, [.set(\.color, .color)])
}

@MainActor
func propertyOfAnotherTypeThanItsKey(_ view: View) {
  // expected-error@+2 {{member chain produces result of type 'ThemeKey<RGBA>' but contextual base was inferred as 'ThemeKey<Int>'}}
  // expected-note@+1 {{arguments to generic parameter 'Value' ('RGBA' and 'Int') are expected to be equal}}
  ThemeManager.shared.follow(view, [.set(\.size, .color)])
}

/// A view with the properties of a toolkit.
@MainActor
final class ToolkitView {
  var background: String?
  var width = 0.0
  var margin: Int?
}

@MainActor
func rulesWithTransformsAndOptionals(_ view: ToolkitView) {
  ThemeManager.shared.follow(
    view,
    [
      .set(\.background, .color) { $0.hex }, .set(\.background, .color) { _ in nil },
      .set(\.width, .size) { Double($0) }, .set(\.width, .size, Double.init),
      .set(\.margin, .size),
    ]
  )
}

@MainActor
func transformWithAnotherResult(_ view: ToolkitView) {
  // expected-error@+1 {{cannot convert value of type 'String' to closure result type 'Double'}}
  ThemeManager.shared.follow(view, [.set(\.width, .color) { $0.hex }])
}

@MainActor
func transformThatThrows(_ view: ToolkitView) {
  // expected-error@+1 {{invalid conversion from throwing function}}
  ThemeManager.shared.follow(view, [.set(\.width, .size) { (_: Int) throws -> Double in 1 }])
}

@MainActor
func optionalPropertyOfAnotherTypeThanItsKey(_ view: ToolkitView) {
  // expected-error@+2 {{member chain produces result of type 'ThemeKey<RGBA>' but contextual base was inferred as 'ThemeKey<Int?>'}}
  // expected-note@+1 {{arguments to generic parameter 'Value' ('RGBA' and 'Int?') are expected to be equal}}
  ThemeManager.shared.follow(view, [.set(\.margin, .color)])
}

struct StructureWithAThemeMap {
  // expected-error@+1 {{'wrappedValue' is unavailable: @Themed is for properties of classes}}
  @Themed var themeMap: ThemeMap<View>?
}

@MainActor
final class Label { @Themed var themeMap: ThemeMap<Label>? }

@MainActor
func themeMapOfAClass(_ label: Label) { label.themeMap = [] }

// expected-note@+2 {{mutation of this property is only permitted within the actor}}
// expected-note@+1 {{property declared here}}
final class Chart { @Themed var themeMap: ThemeMap<Chart>? }

// expected-note@+1 2 {{add '@MainActor' to make global function 'themeMapOffTheMainActor' part of global actor 'MainActor'}}
func themeMapOffTheMainActor(_ chart: Chart) {
  // expected-error@+1 {{main actor-isolated property 'themeMap' can not be mutated from a nonisolated context}}
  chart.themeMap = nil
  // expected-error@+1 {{main actor-isolated property 'themeMap' can not be referenced from a nonisolated context}}
  _ = chart.themeMap
}

/// A class outside any actor, whose theme map is set on the main actor.
final class ChartOfAnyThread {
  @MainActor @Themed var themeMap: ThemeMap<ChartOfAnyThread>?

  init() {}
}

@MainActor
func themeMapOnTheMainActor(_ chart: ChartOfAnyThread) { chart.themeMap = nil }

// expected-note@+1 {{add '@MainActor' to make global function 'themeSwitchedOffTheMainActor' part of global actor 'MainActor'}}
func themeSwitchedOffTheMainActor(_ manager: ThemeManager) throws {
  // expected-error@+1 {{call to main actor-isolated instance method 'use' in a synchronous nonisolated context}}
  try manager.use(Theme("dark", appearance: .dark))
}

// MARK: Documents

// expected-error@+2 {{type 'SchemaOfNames' does not conform to protocol 'ThemeSchema'}}
// expected-note@+1 {{add stubs for conformance}}
enum SchemaOfNames: ThemeSchema {
  // expected-note@+1 {{candidate has non-matching type '[String]'}}
  static let keys = ["misuse.color", "misuse.size"]
}

enum Skin: ThemeSchema { static let keys: [AnyThemeKey] = [.color, .size] }

func schemaAndADocumentOfItsKeys(_ decoder: any Decoder) throws -> Theme {
  try ThemeDocument<Skin>(from: decoder).theme(
    extending: Theme("base", appearance: .dark),
    strict: true
  )
}

// MARK: Errors

func launchWithAnotherErrorType() async throws(ThemeError) {
  // expected-error@+1 {{thrown expression type 'LaunchError' cannot be converted to error type 'ThemeError'}}
  try await loader.launch()
}

func documentWithAnotherErrorType(_ document: ThemeDocument<Skin>) throws(LaunchError) -> Theme {
  // expected-error@+1 {{thrown expression type 'ThemeError' cannot be converted to error type 'LaunchError'}}
  try document.theme()
}

func issueCreatedByAUser() {
  // expected-error@+1 {{'ThemeIssue' initializer is inaccessible due to 'internal' protection level}}
  _ = ThemeIssue(.unknownKey, key: "color")
}

// MARK: First guesses

@MainActor
func themeFromADictionary(_ manager: ThemeManager) throws {
  // expected-error@+1 {{'init(_:appearance:_:)' is unavailable: set the values in a closure: Theme(name, appearance: .dark) { $0[.key] = value }}}
  let theme = Theme("day", [.size: 1])
  // expected-error@+1 {{'apply' is unavailable: write use(theme)}}
  try manager.apply(theme)
  // expected-error@+1 {{'apply' is unavailable: write use(name)}}
  try manager.apply("day")
}
