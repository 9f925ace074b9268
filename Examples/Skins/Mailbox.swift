import EventBus
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
  /// The numbers of views that the last action called and skipped.
  private var reach: (called: Int, skipped: Int)?
  /// The index of the selected row, on which `d` and `x` act; without one they act on the last row.
  private var selection: Int?
  /// The views that the last action called, until ``fade()``.
  private var lit: Set<ObjectIdentifier> = []
  private var changes: [Picture.Change] = []
  private var history: [String] = []
  /// The number of subscriptions when it was last shown, and the reason for its last change.
  private var knownCount = 0
  private var countStory = ""

  /// The panel over the rows.
  private enum Panel {
    case closed
    case accent
    case keys
    case text(String)
  }

  /// The number of pinned rows at the top, which can have their own look.
  private static let pinnedCount = 2
  /// The number of actions in the history.
  private static let historyLimit = 50

  init(_ manager: ThemeManager) {
    self.manager = manager
    frame = FrameView(manager, ledger)
    bar = BarView(manager, ledger)
    rows = []
    for message in Message.first { add(message) }
    _ = ledger.take()
    note(
      "row.themeMap = [.set(\\.ink, .ink), …]",
      "each view sets its colors now, and again when the theme changes"
    )
    EventBus.default.observe(.themeDidChange, owner: self) { mailbox, change in
      if change.manager === mailbox.manager { mailbox.show(change) }
    }
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

  /// Changes one key of the skin in use; only the views that follow it, or an alias of it, are called.
  func editBrand() {
    hasChosen = true
    let brands = Self.brands
    let next = brands.firstIndex(of: manager.theme[.brand]).map { ($0 + 1) % brands.count } ?? 0
    let code = "try manager.edit { $0[.brand] = RGBA(0x\(brands[next].hex.dropFirst())) }"
    do throws(ThemeError) {
      try manager.edit { $0[.brand] = brands[next] }
      noteReach(code)
    } catch {
      note(code, "\(error)")
    }
  }

  /// The colors that ``editBrand()`` takes in turn.
  private static let brands = [RGBA(0xd85b9a), RGBA(0x3fa46b), RGBA(0x9a7be0)]

  /// Adds a row, which its setter themes.
  func addRow() {
    add(Message.later[(rows.count + Message.later.count - 2) % Message.later.count])
    noteReach("row.themeMap = [.set(\\.ink, .ink), …]", reason: "added")
  }

  /// Removes the selected row, or the last one; its subscription ends without further code.
  func dropRow() {
    let before = subscriptions
    guard !rows.isEmpty else {
      note("rows.removeLast()", "there is no row left")
      return
    }
    let code = selection.map { "rows.remove(at: \($0))" } ?? "rows.removeLast()"
    rows.remove(at: selection ?? rows.count - 1)
    if let old = selection { selection = rows.isEmpty ? nil : min(old, rows.count - 1) }
    note(
      code,
      "\(before) views followed the theme, now \(subscriptions); no deinit is written",
      "removed"
    )
  }

  /// Ends the subscription of the selected row, or of the last one that has one; it keeps its look.
  func detachRow() {
    let before = subscriptions
    let row = selection.map { rows[$0] } ?? rows.last { $0.themeMap != nil }
    guard let row, row.themeMap != nil else {
      let which = selection == nil ? "no row follows the theme" : "this row follows no theme"
      note("row.themeMap = nil", which)
      return
    }
    row.themeMap = nil
    note(
      "row.themeMap = nil",
      "\(before) views followed the theme, now \(subscriptions); it keeps its look",
      "nil set"
    )
  }

  /// Selects the next or an earlier row; the first or the last one if none is selected.
  ///
  /// - Parameter step: 1 or -1.
  func moveSelection(by step: Int) {
    guard !rows.isEmpty else { return }
    let start = step > 0 ? -1 : rows.count
    selection = min(max((selection ?? start) + step, 0), rows.count - 1)
  }

  /// Selects a row, or no row if it is selected.
  func select(_ index: Int) {
    guard rows.indices.contains(index) else { return }
    selection = selection == index ? nil : index
  }

  /// Ends the selection.
  func deselect() { selection = nil }

  /// Ends the highlight of the views called.
  ///
  /// - Returns: `true` if there was any.
  func fade() -> Bool {
    defer { lit = [] }
    return !lit.isEmpty
  }

  /// A Boolean value that indicates whether views are highlighted.
  var isLit: Bool { !lit.isEmpty }

  /// Gives the pinned rows their own look, or removes it.
  func toggleScope() {
    if scope == nil {
      do throws(ThemeError) {
        scope = try manager.scope {
          $0[.brand] = RGBA(0x2fa89a)
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
        : "row.themeMap = map.scoped(try manager.scope { $0[.brand] = teal })",
      reason: scope == nil ? "scope gone" : "scope made"
    )
  }

  /// Follows the system.
  func followSystem() {
    hasChosen = false
    manager.systemAppearance = system
    manager.appearancePreference = .system
    let code = "manager.appearancePreference = .system"
    if let system {
      noteReach(code, "the terminal is \(system)")
    } else {
      note(code, "The terminal does not say if it is light or dark: dark is assumed")
    }
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
    if case .accent = panel {
      closePanel()
    } else {
      panel = .accent
      note("manager.theme.explain(.accent)", "how \(manager.theme.name) gets its accent")
    }
  }

  /// Opens or closes the panel with the keys.
  func toggleKeys() {
    if case .keys = panel {
      closePanel()
    } else {
      panel = .keys
      note("mailbox.toggleKeys()", "what each key does")
    }
  }

  /// Closes the panel if it is open.
  func closePanel() {
    if case .closed = panel { return }
    panel = .closed
    note("mailbox.closePanel()", "the panel is closed")
  }

  /// Opens the panel with a text.
  func openPanel(_ text: String) { panel = .text(text) }

  /// Shows an action and its outcome below the rows.
  ///
  /// - Parameters:
  ///   - code: The Swift code of the action.
  ///   - outcome: Its effect.
  ///   - reason: The reason for a new number of subscriptions.
  func note(_ code: String, _ outcome: String, _ reason: String = "") {
    (self.code, self.outcome, reach) = (code, outcome, nil)
    lit = ledger.take().views
    history.insert(code, at: 0)
    if history.count > Self.historyLimit { history.removeLast() }
    let count = subscriptions
    countStory = count == knownCount || reason.isEmpty ? "" : "\(knownCount) → \(count): \(reason)"
    knownCount = count
  }

  /// The current contents of the screen.
  var picture: Picture {
    let theme = manager.theme
    return Picture(
      skin: theme.name,
      appearance: "\(theme.appearance)",
      skins: strip,
      barGround: bar.ground,
      barText: bar.text,
      paper: frame.paper,
      ink: frame.ink,
      muted: frame.muted,
      accent: frame.accent,
      rows: rows.map { $0.picture(isLit: lit.contains(ObjectIdentifier($0))) },
      selection: selection,
      subscriptions: subscriptions,
      countStory: countStory,
      code: code,
      outcome: outcome,
      reach: reach.map { called, skipped in
        Picture.Reach(
          called: "\(called) of \(called + skipped) views called",
          skipped: ", \(skipped) skipped",
          isLit: isLit
        )
      },
      panel: lines,
      views: views,
      changes: changes,
      history: history
    )
  }

  /// The skins of the number keys.
  private var strip: [Picture.Skin] {
    let builtIn: [Theme] = [.day, .night, .ember, .contrast]
    return (builtIn + [ThemeShelf.contents.themes.first]).map { theme in
      let isInUse = theme?.name == manager.theme.name
      let shown = isInUse ? manager.theme : theme
      return Picture.Skin(
        name: shown?.name ?? "no file",
        swatches: shown.map { [$0[.paper], $0[.accent], $0[.ink]] } ?? [],
        isInUse: isInUse
      )
    }
  }

  /// The views that follow the skin.
  private var views: [Picture.Subscription] {
    let isLit = { (view: AnyObject) in self.lit.contains(ObjectIdentifier(view)) }
    let around = [
      Picture.Subscription(view: "frame", keys: frame.keys, isLit: isLit(frame)),
      Picture.Subscription(view: "bar", keys: bar.keys, isLit: isLit(bar)),
    ]
    return around
      + rows.filter { $0.themeMap != nil }.map { row in
        Picture.Subscription(view: row.message.sender, keys: row.keys, isLit: isLit(row))
      }
  }

  /// The lines of the panel.
  private var lines: [String] {
    switch panel {
    case .closed: []
    case .accent: manager.theme.explain(.accent).description.split(separator: "\n").map(String.init)
    case .keys: Self.keys
    case .text(let text): [text]
    }
  }

  /// The lines of the panel with the keys.
  private static let keys = [
    "1-5 use a skin · b edit brand", "n add a row · d drop a row",
    "x stop following · o scope", "s follow terminal · e explain",
    "↑↓ or click: select · esc close", "v events and services", "? or h: these keys · q quit",
  ]

  private func add(_ message: Message) {
    let row = RowView(message, manager, ledger)
    rows.append(row)
    let isPinned = rows.count <= Self.pinnedCount
    row.themeMap = isPinned ? scope.map { row.map.scoped($0) } ?? row.map : row.map
  }

  /// Shows an action and the number of views it reached.
  private func noteReach(_ code: String, _ more: String = "", reason: String = "") {
    if case .text = panel { panel = .closed }
    note(code, more.isEmpty ? "" : "\(more): ", reason)
    reach = (lit.count, subscriptions - lit.count)
  }

  /// Keeps the changed keys of a switch for the second pane.
  private func show(_ change: ThemeDidChange) {
    changes = Palette.keys.filter { change.changedKeys.contains($0) }.map { key in
      Picture.Change(
        key: key.name,
        old: Self.value(of: key, in: change.old),
        new: Self.value(of: key, in: change.new)
      )
    }
  }

  private static func value(of key: AnyThemeKey, in theme: Theme) -> Picture.Value {
    switch key {
    case let key as ThemeKey<RGBA>: Picture.Value(text: theme[key].hex, color: theme[key])
    case let key as ThemeKey<String>: Picture.Value(text: theme[key], color: nil)
    case let key as ThemeKey<Int>: Picture.Value(text: "\(theme[key])", color: nil)
    default: Picture.Value(text: "?", color: nil)
    }
  }
}
