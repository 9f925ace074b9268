import EventBus
import TestSupport
import Testing
import Theming

/// Transforming rules with scopes, aliases and conflicts, in every combination.
@MainActor
@Suite("Transforms in every combination")
struct TransformCombinationTests {
  /// A color of a toolkit.
  struct Paint: Hashable, Sendable {
    let hex: String

    init(_ color: RGBA) { hex = color.hex }
  }

  @MainActor
  final class Panel: Themeable {
    let themeSlot = ThemeSlot()
    @Themed var themeMap: ThemeMap<Panel>?
    var paint = Paint(.gray)
    var backgroundColor: Paint?
    var color = RGBA.gray
    var accent: RGBA?
  }

  /// What makes an object follow a manager.
  enum Follower: CaseIterable, Sendable {
    case map, slot, token
  }

  /// How the key of the rule gets its value.
  enum Source: CaseIterable, Sendable {
    /// The theme sets it.
    case value
    /// It is an alias of a key that the theme sets.
    case alias
    /// It is an alias of an alias, the second of which only the scope has.
    case aliasOfTheScope
  }

  /// The rules for the property of each type; the last one decides.
  enum Rules: CaseIterable, Sendable {
    case alone, afterPlain, afterTransform, beforePlain
  }

  struct Case: Sendable {
    let follower: Follower
    let isScoped: Bool
    let source: Source
    let rules: Rules
  }

  nonisolated static let cases = Follower.allCases.flatMap { follower in
    [false, true].flatMap { isScoped in
      Source.allCases.flatMap { source in
        Rules.allCases.map {
          Case(follower: follower, isScoped: isScoped, source: source, rules: $0)
        }
      }
    }
  }

  @Test("The last rule of each property decides, whatever leads to its key", arguments: cases)
  func lastRuleDecides(_ sample: Case) throws {
    let root = makeManager()
    let manager = sample.isScoped ? try root.scope { $0[.radius] = 7 } : root
    let calls = Log<RGBA>()
    let panel = Panel()
    follow(panel, map(sample.rules, calls), manager, sample.follower)
    func expect(_ color: RGBA, callsOfEach count: Int) {
      #expect(panel.paint == Paint(color))
      #expect(panel.backgroundColor == (color == .red ? nil : Paint(color)))
      #expect(panel.color == color)
      #expect(panel.accent == color)
      let transforms = sample.rules == .beforePlain ? 2 : 4
      #expect(calls.take() == Array(repeating: color, count: count * transforms))
    }
    expect(.gray, callsOfEach: 1)

    // The key gets a value, from where the case says.
    switch sample.source {
    case .value: try root.edit { $0[.accent] = .blue }
    case .alias:
      try root.edit { theme in
        theme[alias: .accent] = .brand
        theme[.brand] = .blue
      }
    case .aliasOfTheScope:
      try root.edit { $0[alias: .accent] = .brand }
      expect(.gray, callsOfEach: 0)
      try manager.edit { $0[alias: .brand] = .line }
      expect(.gray, callsOfEach: 0)
      try root.edit { $0[.line] = .blue }
    }
    expect(.blue, callsOfEach: 1)

    // Another key of the rules, and no key of them.
    try root.edit { $0[.earlier] = .red }
    try root.edit { $0[.font] = "Mono" }
    expect(.blue, callsOfEach: 0)

    // The end of each chain, to the color that the optional transform turns into nil.
    let end: ThemeKey<RGBA> =
      switch sample.source {
      case .value: .accent
      case .alias: .brand
      case .aliasOfTheScope: .line
      }
    try manager.edit { $0[end] = .red }
    expect(.red, callsOfEach: 1)
    withExtendedLifetime((root, manager)) {}
  }

  private func follow(
    _ panel: Panel,
    _ map: ThemeMap<Panel>,
    _ manager: ThemeManager,
    _ follower: Follower
  ) {
    switch follower {
    case .map: panel.themeMap = map.scoped(manager)
    case .slot: panel.themeMap = map.scoped(manager)
    case .token: manager.follow(panel, map)
    }
  }

  /// A map whose last rules follow the accent, and whose earlier ones follow another key.
  private func map(_ rules: Rules, _ calls: Log<RGBA>) -> ThemeMap<Panel> {
    typealias Rule = ThemeMap<Panel>.Rule
    func unused<Result>(_ color: RGBA, _ result: Result) -> Result {
      Issue.record("The transform of an earlier rule was called")
      return result
    }
    let paint: [Rule] = [
      .set(\.paint, .accent) { color in
        calls.append(color)
        return Paint(color)
      },
      .set(\.backgroundColor, .accent) { color in
        calls.append(color)
        return color == .red ? nil : Paint(color)
      },
    ]
    let same: [Rule] = [
      .set(\.color, .accent) { color in
        calls.append(color)
        return color
      },
      .set(\.accent, .accent) { color in
        calls.append(color)
        return color
      },
    ]
    let plain: [Rule] = [.set(\.color, .accent), .set(\.accent, .accent)]
    let earlierPlain: [Rule] = [.set(\.color, .earlier), .set(\.accent, .earlier)]
    let earlierTransforms: [Rule] = [
      .set(\.paint, .earlier) { unused($0, Paint($0)) },
      .set(\.backgroundColor, .earlier) { unused($0, nil) },
      .set(\.color, .earlier) { unused($0, $0) },
      .set(\.accent, .earlier) { unused($0, nil) },
    ]
    switch rules {
    case .alone: return ThemeMap(paint + same)
    case .afterPlain: return ThemeMap(earlierPlain + paint + same)
    case .afterTransform: return ThemeMap(earlierTransforms + paint + same)
    case .beforePlain: return ThemeMap(earlierTransforms + paint + plain)
    }
  }
}

extension ThemeKeys {
  fileprivate static let line = ThemeKey<RGBA>("combination.line", default: .gray)
  fileprivate static let earlier = ThemeKey<RGBA>("combination.earlier", default: .blue)
}
