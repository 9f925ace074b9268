import Theming

/// The screen: views that follow a manager, and the actions of the keys.
@MainActor
final class Mailbox {
  let manager: ThemeManager
  private let ledger = Ledger()
  private let frame: FrameView
  private let bar: BarView
  private(set) var rows: [RowView]
  /// The scope of the pinned rows while they have their own look.
  private var scope: ThemeManager?
  private var panel = Panel.closed
  /// The appearance of the terminal's background, if known.
  private var system: Appearance?
  /// A Boolean value that indicates whether the user chose a skin, which overrides the system.
  private var hasChosen = false
  private var code = ""
  private var outcome = ""

  /// The panel over the rows.
  private enum Panel {
    case closed
    case accent
    case text(String)
  }

  /// The number of pinned rows at the top, which can have their own look.
  private static let pinnedCount = 2

  init(_ manager: ThemeManager) {
    self.manager = manager
    frame = FrameView(manager, ledger)
    bar = BarView(manager, ledger)
    rows = []
    for message in Message.first { add(message) }
    _ = ledger.take()
    note("row.themeMap = [.set(\\.ink, .ink), …]", "\(subscriptions) views follow the skin")
  }

  /// The number of views that follow the skin.
  var subscriptions: Int { manager.subscriberCount + (scope?.subscriberCount ?? 0) }

  /// Switches to a skin.
  func use(_ skin: String) {
    hasChosen = true
    do throws(ThemeError) {
      try manager.use(skin)
      noteReach("try manager.use(\"\(skin)\")")
    } catch {
      note("try manager.use(\"\(skin)\")", "\(error)")
    }
  }

  /// Adds a row, which its setter themes.
  func addRow() {
    add(Message.later[(rows.count + Message.later.count - 2) % Message.later.count])
    noteReach("row.themeMap = [.set(\\.ink, .ink), …]")
  }

  /// Removes a row; its subscription ends without further code.
  func dropRow() {
    let before = subscriptions
    if rows.popLast() == nil {
      note("rows.popLast()", "there is no row left")
    } else {
      note("rows.popLast()", "\(before) subscriptions → \(subscriptions), and no deinit is written")
    }
  }

  /// Ends the subscription of a row, which keeps its look.
  func detachRow() {
    let before = subscriptions
    guard let row = rows.last(where: { $0.themeMap != nil }) else {
      note("row.themeMap = nil", "no row follows the skin any more")
      return
    }
    row.themeMap = nil
    note("row.themeMap = nil", "\(before) subscriptions → \(subscriptions); it keeps its look")
  }

  /// Gives the pinned rows their own look, or removes it.
  func toggleScope() {
    if scope == nil {
      do throws(ThemeError) {
        scope = try manager.scope {
          $0[.brand] = RGBA(red: 0x2f, green: 0xa8, blue: 0x9a)
          $0[alias: .ink] = .brand
          $0[.marker] = "◆"
        }
      } catch {
        note("try manager.scope { … }", "\(error)")
        return
      }
    } else {
      scope = nil
    }
    for row in rows.prefix(Self.pinnedCount) where row.themeMap != nil {
      row.themeMap = scope.map { row.map.scoped($0) } ?? row.map
    }
    noteReach(
      scope == nil
        ? "row.themeMap = map"
        : "row.themeMap = map.scoped(try manager.scope { $0[.brand] = teal })"
    )
  }

  /// Follows the system.
  func followSystem() {
    hasChosen = false
    manager.systemAppearance = system
    manager.preference = .system
    let system = manager.systemAppearance.map { "\($0)" } ?? "unknown, so dark"
    noteReach("manager.preference = .system", "the system is \(system)")
  }

  /// Applies the appearance of the terminal's background, unless the user has chosen a skin.
  func systemIs(_ appearance: Appearance) {
    system = appearance
    if hasChosen { return }
    manager.systemAppearance = appearance
    noteReach("manager.systemAppearance = .\(appearance)")
  }

  /// Opens or closes the panel that explains the accent.
  func togglePanel() {
    if case .accent = panel { panel = .closed } else { panel = .accent }
    note("manager.theme.explain(.accent)", "how \(manager.theme.name) comes to its accent")
  }

  /// Closes the panel.
  func closePanel() { panel = .closed }

  /// Opens the panel with a text.
  func openPanel(_ text: String) { panel = .text(text) }

  /// Shows an action and its outcome below the rows.
  func note(_ code: String, _ outcome: String) {
    (self.code, self.outcome) = (code, outcome)
    _ = ledger.take()
  }

  /// The current contents of the screen.
  var picture: Picture {
    let theme = manager.theme
    return Picture(
      skin: theme.name,
      appearance: "\(theme.appearance)",
      barGround: bar.ground,
      barText: bar.text,
      paper: frame.paper,
      ink: frame.ink,
      muted: frame.muted,
      accent: frame.accent,
      rows: rows.map(\.picture),
      code: code,
      outcome: outcome,
      panel: lines
    )
  }

  /// The lines of the panel.
  private var lines: [String] {
    switch panel {
    case .closed: []
    case .accent: manager.theme.explain(.accent).steps.map { "\($0)" }
    case .text(let text): [text]
    }
  }

  private func add(_ message: Message) {
    let row = RowView(message, manager, ledger)
    rows.append(row)
    let isPinned = rows.count <= Self.pinnedCount
    row.themeMap = isPinned ? scope.map { row.map.scoped($0) } ?? row.map : row.map
  }

  /// Shows an action and the number of views it reached.
  private func noteReach(_ code: String, _ more: String = "") {
    if case .text = panel { panel = .closed }
    let called = ledger.take().views
    let count = subscriptions
    let reached = "\(called) of \(count) views called, \(count - called) skipped"
    note(code, more.isEmpty ? reached : "\(more): \(reached)")
  }
}
