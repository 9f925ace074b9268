import EventBus
import LaunchLoader
import Terminal
import Theming

/// The mailbox, or the story of events and services, on a terminal: handles keys and draws frames.
@MainActor
final class TerminalScreen {
  /// An event of the screen.
  enum Event: Sendable {
    /// The application took the terminal.
    case entered
    /// The size of the window changed.
    case resized
    /// The terminal hung up, or a reload of the files was requested.
    case hungUp
    /// The views that an action called have been highlighted long enough.
    case faded
    /// The story of events has a new part.
    case told
    case keyboard(Keyboard.Event)
  }

  private let app: AppHost
  private let options: Options
  private let session = TerminalSession()
  private let mailbox: Mailbox
  /// The second screen, since it was first shown.
  private var story: EventScreen?
  /// A Boolean value that indicates whether the second screen is shown.
  private var showsStory: Bool
  private var encoder: FrameEncoder
  private let depth: ColorDepth
  /// Returns a text for a panel that opens with the screen and with the key `i`; `nil` for none.
  var notice: () -> String? = { nil }
  private let events = AsyncStream<Event>.makeStream()
  private var keyboard: Keyboard?
  private let backlog = KeyBacklog()
  /// A Boolean value that indicates whether drawing waits for the terminal's reply about its background.
  private var isWaiting = true
  /// The timer that ends the highlight of called views.
  private var fading: Token?

  init(_ app: AppHost, _ options: Options, _ depth: ColorDepth) {
    self.app = app
    self.options = options
    self.depth = depth
    mailbox = Mailbox(.skins)
    showsStory = options.isAboutEvents
    encoder = FrameEncoder(depth: depth)
  }

  /// Takes the terminal while the application is active.
  ///
  /// The handlers are nonisolated: they run where the event is posted, and return before the process
  /// stops.
  nonisolated private func follow() -> [Token] {
    let (session, events) = (session, events.continuation)
    return [
      app.bus.observe(.didBecomeActive) {
        session.enter()
        events.yield(.entered)
      },
      app.bus.observe(.willResignActive) { session.leave() },
      app.bus.observe(.appShouldReload) { events.yield(.hungUp) },
    ]
  }

  /// Runs the application with the screen as its service.
  ///
  /// - Returns: The exit status.
  func run() async throws -> Int32 {
    let tokens = follow()
    defer {
      session.leave()
      withExtendedLifetime(tokens) {}
    }
    let options = AppServiceOptions(onReturn: .shutdown)
    try app.add("screen", options: options) { @MainActor context in await self.serve(context) }
    return try await app.run()
  }

  private func serve(_ context: AppServiceContext) async {
    let continues = Task { await watchContinues() }
    let resizes = Task { [events] in
      for await _ in UnixSignal.stream(.windowChanged) { events.continuation.yield(.resized) }
    }
    context.onShutdown { [events] in events.continuation.finish() }
    for await event in events.stream {
      // The stream would still deliver buffered elements after its end.
      if context.isShuttingDown || take(event) { break }
    }
    keyboard?.stop()
    continues.cancel()
    resizes.cancel()
  }

  /// Configures the terminal again, because other programs may change it after a stop without notice.
  private func watchContinues() async {
    for await _ in UnixSignal.stream(.resume) {
      session.reenter()
      events.continuation.yield(.entered)
    }
  }

  /// Handles an event.
  ///
  /// - Returns: `true` to end the screen.
  private func take(_ event: Event) -> Bool {
    switch event {
    case .entered:
      encoder.invalidate()
      if keyboard == nil { begin() }
    case .resized: break
    case .hungUp where session.isThere:
      showsStory = false
      ThemeShelf.fill(from: options.themes ?? ThemeFiles.usualFolder)
      mailbox.closePanel()
      mailbox.note("bus.observe(.appShouldReload) { … }", "the theme files were read again")
    case .hungUp, .keyboard(.gone):
      app.shutdown(exitCode: 128 + UnixSignal.hangup.rawValue)
      return true
    case .faded: if !mailbox.fade() || showsStory { return false }
    case .told: if !showsStory { return false }
    case .keyboard(.noAnswer): isWaiting = false
    case .keyboard(.input(let inputs)):
      for input in inputs where take(input) { return true }
      // The keys that wait share a frame.
      if !backlog.isEmpty { return false }
    }
    draw()
    return false
  }

  /// Handles an input.
  ///
  /// - Returns: `true` to end the screen.
  private func take(_ input: Input) -> Bool {
    switch input {
    case .background(let color):
      isWaiting = false
      mailbox.systemIs(color.isLight ? .light : .dark)
      light()
    case .key(let key):
      backlog.remove()
      if obey(key) { return true }
    case .mouse(let mouse):
      backlog.remove()
      obey(mouse)
    }
    return false
  }

  /// Queries the background color if the terminal shows colors, and starts reading keys.
  private func begin() {
    showNotice()
    let asks = depth != .none && session.write(BackgroundReply.question)
    isWaiting = asks
    keyboard = Keyboard.start(
      session.input,
      deadline: asks ? BackgroundReply.patience : nil
    ) { [events, backlog] event in
      guard case .input(let inputs) = event else {
        events.continuation.yield(.keyboard(event))
        return
      }
      let admitted = inputs.filter { if case .background = $0 { true } else { backlog.add() } }
      if !admitted.isEmpty { events.continuation.yield(.keyboard(.input(admitted))) }
    }
    if keyboard == nil { events.continuation.yield(.keyboard(.gone)) }
  }

  /// Performs the action of a key.
  ///
  /// - Returns: `true` to quit.
  private func obey(_ key: Key) -> Bool {
    switch key {
    case .character("q"): return true
    case .character("v"):
      showsStory.toggle()
      return false
    case .character(" ") where showsStory, .enter where showsStory: story?.next()
    case .up where showsStory: scroll(by: 1)
    case .down where showsStory: scroll(by: -1)
    case .escape where showsStory: showsStory = false
    case .character(let letter) where showsStory && !("1"..."5").contains(letter): break
    case .character("1"): mailbox.use(Theme.day.name)
    case .character("2"): mailbox.use(Theme.night.name)
    case .character("3"): mailbox.use(Theme.ember.name)
    case .character("4"): mailbox.use(Theme.contrast.name)
    case .character("5"): useFile()
    case .character("n"): mailbox.addRow()
    case .character("d"): mailbox.dropRow()
    case .character("x"): mailbox.detachRow()
    case .character("o"): mailbox.toggleScope()
    case .character("s"): mailbox.followSystem()
    case .character("e"): mailbox.togglePanel()
    case .character("b"): mailbox.editBrand()
    case .character("i"): showNotice()
    case .character("?"), .character("h"): mailbox.toggleKeys()
    case .up: mailbox.moveSelection(by: -1)
    case .down: mailbox.moveSelection(by: 1)
    case .escape:
      mailbox.closePanel()
      mailbox.deselect()
    default: return false
    }
    light()
    return false
  }

  /// Performs the action of the mouse.
  private func obey(_ mouse: Mouse) {
    switch mouse {
    case .wheelUp where showsStory: scroll(by: 3)
    case .wheelDown where showsStory: scroll(by: -3)
    case .press where showsStory: break
    case .wheelUp: mailbox.moveSelection(by: -1)
    case .wheelDown: mailbox.moveSelection(by: 1)
    case .press(let column, let row):
      switch Layout(mailbox.picture, session.size).target(column: column, row: row) {
      case .skin(let index): _ = obey(.character(Character("\(index + 1)")))
      case .row(let index): mailbox.select(index)
      case nil: break
      }
    }
  }

  /// Starts the time after which called views are no longer highlighted.
  private func light() {
    guard mailbox.isLit else { return }
    fading?.cancel()
    fading = after(.milliseconds(600), owner: self) { screen, _ in
      screen.events.continuation.yield(.faded)
    }
  }

  /// Switches to the first skin that came from a file.
  private func useFile() {
    if let theme = ThemeShelf.contents.themes.first {
      mailbox.use(theme.name)
    } else {
      mailbox.note("try manager.use(\"Fog\")", "no skin came from a file")
      mailbox.openPanel(ThemeShelf.contents.complaints.first ?? "")
    }
  }

  private func showNotice() {
    if let text = notice() { mailbox.openPanel(text) }
  }

  /// Scrolls the story, up if the number of lines is positive.
  private func scroll(by lines: Int) {
    guard let story else { return }
    story.scroll(by: lines, within: EventLayout(story.contents, session.size).hidden)
  }

  private func draw() {
    if isWaiting { return }
    let frame = encoder.frame(makeCanvas())
    if !frame.isEmpty, !session.write(frame) { encoder.invalidate() }
  }
  /// Draws the screen that is shown; the story begins when it is shown first.
  private func makeCanvas() -> Canvas {
    guard showsStory else { return Canvas(mailbox.picture, session.size) }
    let screen = story ?? EventScreen { [events] in events.continuation.yield(.told) }
    story = screen
    return Canvas(screen.contents, mailbox.picture, session.size)
  }
}
