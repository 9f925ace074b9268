internal import EventBus
internal import Observation
internal import ObservationBridge
internal import TestSupport
internal import Testing
internal import Theming

@MainActor
@Suite("Observable themes", .timeLimit(.minutes(5)))
struct ObservableThemeTests {
  @Test("A reader of a key is invalidated by a switch that changes the key, and by no other")
  func oneKey() throws {
    let theme = ObservableTheme(makeManager())
    let accent = Reader { theme[.accent] }
    try theme.use(Theme("second", appearance: .dark) { $0[.radius] = 7 })
    #expect(accent.invalidations == 0)
    try theme.use(Theme("third", appearance: .dark) { $0[.accent] = .red })
    #expect(accent.invalidations == 1)
    accent.update()
    #expect(accent.value == .red)
    try theme.use(Theme("fourth", appearance: .dark) { $0[.accent] = .red })
    #expect(accent.invalidations == 1)
  }

  @Test("A reader of a theme that is invalidated reads the new value at once")
  func inOnChange() throws {
    let theme = ObservableTheme(makeManager())
    var seen: [Int] = []
    let reader = Reader {
      theme[.radius]
    } inOnChange: {
      seen.append(theme[.radius])
    }
    try theme.use(Theme("second", appearance: .dark) { $0[.radius] = 7 })
    #expect(seen == [7])
    withExtendedLifetime(reader) {}
  }

  @Test("A key that a theme inherits is unchanged, in whichever theme its value is set")
  func inherited() throws {
    let base = Theme("base", appearance: .dark) {
      $0[.accent] = .red
      $0[.radius] = 7
    }
    let theme = ObservableTheme(makeManager(base))
    let (accent, radius) = (Reader { theme[.accent] }, Reader { theme[.radius] })
    try theme.use(base.deriving("derived") { $0[.radius] = 8 })
    #expect(accent.invalidations == 0 && radius.invalidations == 1)
    try theme.use(Theme("spelled out", appearance: .dark) { $0[.accent] = .red })
    #expect(accent.invalidations == 0)
  }

  @Test("Equal keys are one, wherever they were created")
  func equalKeys() throws {
    let theme = ObservableTheme(makeManager())
    let reader = Reader { theme[ThemeKey("observed.radius", default: 4)] }
    try theme.use(Theme("second", appearance: .dark) { $0[.radius] = 7 })
    #expect(reader.invalidations == 1)
  }

  @Test("Keys with one name and different types of value are tracked apart")
  func typesOfKeys() throws {
    let theme = ObservableTheme(makeManager())
    let text = ThemeKey("observed.radius", default: "four")
    let (number, name) = (Reader { theme[.radius] }, Reader { theme[text] })
    try theme.use(Theme("second", appearance: .dark) { $0[text] = "five" })
    #expect(number.invalidations == 0 && name.invalidations == 1)
  }

  @Test("A name that is read between two switches whose events wait is also followed")
  func nameBetweenSwitches() async throws {
    let bus = EventBus()
    let theme = ObservableTheme(makeManager(Theme("day", appearance: .dark), bus: bus))
    let first = Reader { theme.themeName }
    var late: Reader<String>?
    // While events wait for the main actor, an event that is posted 32 posts deep waits with them.
    let (outer, inner) = (EventName<Int>("observed.outer"), EventName<Int>("observed.inner"))
    let observer = bus.observe(outer) { @MainActor number in
      guard number == 40 else {
        bus.post(inner, number)
        return
      }
      try theme.use(Theme("night", appearance: .dark))
      late = Reader { theme.themeName }
      try theme.use(Theme("day", appearance: .dark))
    }
    blockedOnThread { for number in 1...60 { bus.post(outer, number) } }
    for _ in 0..<6 { await laterOnMainActor() }
    let reader = try #require(late)
    #expect(reader.value == "night" && reader.invalidations == 1)
    reader.update()
    first.update()
    #expect(reader.value == "day" && first.value == "day")
    withExtendedLifetime(observer) {}
  }

  @Test("The error of a switch reaches the caller, and invalidates nothing")
  func refused() {
    let theme = ObservableTheme(makeManager())
    let (accent, name) = (Reader { theme[.accent] }, Reader { theme.themeName })
    let cyclic = Theme("cyclic", appearance: .dark) {
      $0[alias: .accent] = .brand
      $0[alias: .brand] = .accent
    }
    let error = #expect(throws: ThemeError.self) { try theme.use(cyclic) }
    #expect(error?.code == .aliasCycle)
    #expect(accent.invalidations == 0 && name.invalidations == 0)
    #expect(theme.themeName == "first")
  }

  @Test("A switch that follows from another one invalidates in its turn")
  func nested() throws {
    let bus = EventBus()
    let theme = ObservableTheme(makeManager(bus: bus))
    let radius = Reader { theme[.radius] }
    var seen: [Int] = []
    let token = bus.observe(.themeDidChange) { change in
      radius.update()
      seen.append(radius.value)
      if change.new.name == "second" {
        try? theme.use(Theme("third", appearance: .dark) { $0[.radius] = 8 })
      }
    }
    try theme.use(Theme("second", appearance: .dark) { $0[.radius] = 7 })
    #expect(seen == [7, 8])
    #expect(radius.invalidations == 2)
    withExtendedLifetime(token) {}
  }

  @Test("An observable theme keeps its manager, and the manager does not keep it")
  func ownership() throws {
    let bus = EventBus()
    var theme: ObservableTheme? = ObservableTheme(makeManager(bus: bus))
    weak let watched = theme
    #expect(theme?[.radius] == 4 && theme?.themeName == "first")
    try theme?.use(Theme("second", appearance: .dark) { $0[.radius] = 7 })
    #expect(theme?[.radius] == 7)
    #expect(bus.snapshot().observations.count == 2)
    theme = nil
    #expect(watched == nil)
    #expect(bus.snapshot().observations.isEmpty)
  }

  @Test("Observable themes that come and go, of managers and of scopes, leave nothing")
  func comeAndGo() throws {
    let bus = EventBus()
    let manager = makeManager(bus: bus)
    let scope = try manager.scope { $0[.accent] = .red }
    var watched: [WeakReference<ObservableTheme>] = []
    for index in 0..<size(1_000, full: 10_000) {
      let theme = ObservableTheme(index % 2 == 0 ? manager : scope)
      let reader = Reader { "\(theme[.radius]) \(theme.themeName)" }
      if index % 100 == 0 {
        try theme.use(Theme("\(index)", appearance: .dark) { $0[.radius] = index })
      }
      reader.update()
      watched.append(WeakReference(object: theme))
    }
    #expect(watched.count { $0.object != nil } == 0)
    #expect(bus.snapshot().observations.isEmpty)
    #expect(manager.subscriberCount == 0 && scope.subscriberCount == 0)
  }

  @Test("`Observations` gets the value of a key after each turn that changed it")
  func sequence() async throws {
    guard #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) else { return }
    let theme = ObservableTheme(makeManager())
    var radii = Observations { theme[.radius] }.makeAsyncIterator()
    #expect(await radii.next() == 4)
    for radius in 5..<10 {
      try theme.use(Theme("passing", appearance: .dark) { $0[.radius] = 0 })
      try theme.use(Theme("\(radius)", appearance: .dark) { $0[.radius] = radius })
      #expect(await radii.next() == radius)
    }
  }
}
