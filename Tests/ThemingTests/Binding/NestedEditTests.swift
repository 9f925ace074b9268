import EventBus
import Testing
import Theming

@MainActor
@Suite("Edits inside edits")
struct NestedEditTests {
  @Test("An edit inside an edit is not lost", arguments: [1, 2, 3])
  func nested(_ depth: Int) throws {
    let manager = makeManager()
    let keys = (0...depth).map { ThemeKey<Int>("nested.\($0)", default: 0) }
    func edit(_ level: Int) throws(ThemeError) {
      try manager.edit { theme in
        theme[keys[level]] = 1
        if level < depth { try? edit(level + 1) }
      }
    }
    try edit(0)
    #expect(keys.map { manager.theme[$0] } == keys.map { _ in 1 })
  }

  @Test("Where an edit and an edit inside it set the same key, the outer one wins")
  func sameKey() throws {
    let manager = makeManager()
    try manager.edit { theme in
      theme[.radius] = 1
      try? manager.edit { $0[.radius] = 2 }
      #expect(manager.theme[.radius] == 2)
    }
    #expect(manager.theme[.radius] == 1)
  }

  @Test("A key that the outer edit did not set keeps the value of the inner one")
  func untouchedKey() throws {
    let manager = makeManager(rounded(3))
    try manager.edit { theme in
      theme[.accent] = .red
      theme.name = "outer"
      try? manager.edit {
        $0[.radius] = 9
        $0.appearance = .light
        $0[alias: .brand] = .accent
      }
    }
    #expect(manager.theme[.radius] == 9)
    #expect(manager.theme[.brand] == .red)
    #expect(manager.theme.name == "outer")
    #expect(manager.theme.appearance == .light)
  }

  @Test("An edit applies to the theme that its closure switches to")
  func useInside() throws {
    let manager = makeManager()
    try manager.edit { theme in
      theme[.accent] = .red
      try? manager.use(rounded(7))
    }
    #expect(manager.theme.name == "rounded 7")
    #expect(manager.theme[.radius] == 7)
    #expect(manager.theme[.accent] == .red)
  }

  @Test("An edit that replaces its theme overrides an edit inside it as a whole")
  func replacedTheme() throws {
    let manager = makeManager()
    try manager.edit { theme in
      theme = rounded(7).deriving("derived") { $0[.accent] = .red }
      try? manager.edit { $0[.font] = "Mono" }
    }
    #expect(manager.theme.name == "derived")
    #expect(manager.theme[.radius] == 7)
    #expect(manager.theme[.accent] == .red)
  }

  @Test("An edit in a scope keeps the edits that its closure makes to the scope and its manager")
  func scope() throws {
    let manager = makeManager()
    let scope = try manager.scope { $0[.font] = "Mono" }
    try scope.edit { theme in
      theme[.accent] = .red
      try? scope.edit { $0[.radius] = 9 }
      try? manager.edit { $0[.brand] = .blue }
    }
    #expect(scope.theme[.accent] == .red)
    #expect(scope.theme[.radius] == 9)
    #expect(scope.theme[.font] == "Mono")
    #expect(scope.theme[.brand] == .blue)
    #expect(manager.theme[.radius] == 4)
    #expect(manager.theme[.accent] == .gray)
  }

  @Test(
    "Edits inside an edit that is requested during a switch are not lost",
    arguments: [false, true]
  )
  func pending(_ isAnotherPending: Bool) throws {
    let manager = makeManager()
    let label = Label(manager, map: .full)
    label.whenTouched = { label in
      label.whenTouched = nil
      if isAnotherPending { try? manager.edit { $0[.accent] = .blue } }
      try? manager.edit { theme in
        theme[.radius] = 9
        try? manager.edit { $0[.font] = "Mono" }
        #expect(manager.theme[.font] == "Sans")
      }
    }
    try manager.use(rounded(7))
    #expect(label.whenTouched == nil)
    #expect(manager.theme[.radius] == 9)
    #expect(manager.theme[.font] == "Mono")
    #expect(manager.theme[.accent] == (isAnotherPending ? .blue : .gray))
    try manager.edit { $0[.accent] = .red }
    #expect(manager.theme[.radius] == 9)
  }

  @Test("A refused edit inside an edit changes nothing")
  func refused() throws {
    let manager = makeManager()
    try manager.edit { theme in
      theme[.radius] = 9
      #expect(throws: ThemeError.self) {
        try manager.edit {
          $0[alias: .accent] = .brand
          $0[alias: .brand] = .accent
        }
      }
    }
    #expect(manager.theme[.radius] == 9)
    #expect(manager.theme[alias: .accent] == nil)
  }
}
