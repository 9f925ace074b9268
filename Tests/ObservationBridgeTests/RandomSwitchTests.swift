internal import EventBus
internal import ObservationBridge
internal import TestSupport
internal import Testing
internal import Theming

/// Compares readers of a manager and of its scopes with the values that the themes have.
@MainActor
@Suite("Invalidations by random switches")
struct RandomSwitchTests {
  /// What a reader reads, as text, from an observable theme and from the manager itself.
  private struct Subject {
    let tracked: (ObservableTheme) -> String
    let expected: (ThemeManager) -> String
  }

  private static let subjects = [
    Subject(tracked: { "\($0[.accent])" }, expected: { "\($0.theme[.accent])" }),
    Subject(tracked: { "\($0[.brand])" }, expected: { "\($0.theme[.brand])" }),
    Subject(tracked: { "\($0[.radius])" }, expected: { "\($0.theme[.radius])" }),
    Subject(
      tracked: { "\($0[.accent]) \($0[.font])" },
      expected: { "\($0.theme[.accent]) \($0.theme[.font])" }
    ),
    Subject(tracked: { $0.themeName }, expected: { $0.theme.name }),
    Subject(
      tracked: { "\($0.themeName) \($0[.radius])" },
      expected: { "\($0.theme.name) \($0.theme[.radius])" }
    ),
  ]

  /// A reader, the values that it should have, and how often these have changed.
  @MainActor
  private final class Checked {
    let reader: Reader<String>
    private let expected: () -> String
    private var last: String
    private(set) var changes = 0

    init(_ subject: Subject, of manager: ThemeManager, through theme: ObservableTheme) {
      reader = Reader { subject.tracked(theme) }
      expected = { subject.expected(manager) }
      last = expected()
    }

    /// Counts a change of the expected value, and lets the reader read again if it was invalidated.
    func update() {
      let current = expected()
      if current != last { changes += 1 }
      last = current
      reader.update()
    }

    var isRight: Bool { reader.invalidations == changes && reader.value == last }
  }

  @Test(
    "Over random switches, each reader is invalidated as often as a switch changed what it read",
    arguments: 1...size(1, full: 3)
  )
  func switches(seed: Int) throws {
    var random = SampleNumbers(seed: seed)
    let day = Theme("Day", appearance: .light) { $0[.accent] = .blue }
    let night = Theme("Night", appearance: .dark) { $0[alias: .accent] = .brand }
    let manager = ThemeManager(light: day, dark: night, bus: EventBus())
    let scope = try manager.scope { $0[.radius] = 3 }
    let inner = try scope.scope { $0[.accent] = .red }
    let sibling = try manager.scope { $0[alias: .accent] = .brand }
    let managers = [manager, scope, inner, sibling]
    let checked = managers.flatMap { manager in
      let theme = ObservableTheme(manager)
      return Self.subjects.map { Checked($0, of: manager, through: theme) }
    }
    for step in 1...size(300, full: 1_000) {
      perform(&random, on: managers)
      for each in checked { each.update() }
      let isRight = checked.allSatisfy(\.isRight)
      try #require(isRight, "step \(step) with the seed \(seed)")
    }
    // Neither is every reader invalidated by each switch, nor one by none.
    #expect(checked.allSatisfy { 1..<size(240, full: 800) ~= $0.changes })
  }

  /// Switches, or requests a switch that is refused.
  private func perform(_ random: inout SampleNumbers, on managers: [ThemeManager]) {
    let manager = managers[random.next(below: managers.count)]
    switch random.next(below: 8) {
    case 0, 1: try? managers[0].use(theme(&random, name(&random)))
    case 2: try? managers[0].edit { change(&$0, &random) }
    case 3: manager.systemAppearance = random.next(below: 2) == 0 ? .light : .dark
    case 4: manager.appearancePreference = AppearancePreference.allCases[random.next(below: 3)]
    case 5: try? managers[0].use(managers[0].theme.deriving(name(&random)) { change(&$0, &random) })
    // Scopes are edited; a scope that used a theme would not follow the manager above any more.
    default: try? manager.edit { change(&$0, &random) }
    }
  }

  private func name(_ random: inout SampleNumbers) -> String { "theme \(random.next(below: 3))" }

  private func theme(_ random: inout SampleNumbers, _ name: String) -> Theme {
    Theme(name, appearance: .dark) { theme in
      for _ in 0..<random.next(below: 4) { change(&theme, &random) }
    }
  }

  /// Sets one value, one of few, so that it is often the former one, or an alias, or removes all of them.
  private func change(_ theme: inout Theme, _ random: inout SampleNumbers) {
    let number = random.next(below: 3)
    switch random.next(below: 8) {
    case 0, 1: theme[.accent] = [.red, .blue, ThemeKeys.accent.defaultValue][number]
    case 2: theme[.brand] = [.red, .blue, ThemeKeys.brand.defaultValue][number]
    case 3: theme[.radius] = number + 3
    case 4: theme[.font] = ["Sans", "Serif", "Mono"][number]
    case 5: theme[alias: .accent] = .brand
    case 6: theme[alias: .brand] = .accent
    // More of it than of one key, so that scopes do not override every key in the long run.
    default: for key in [ThemeKeys.accent, .brand, .radius, .font] { theme.remove(key) }
    }
  }
}
