import EventBus
import ObservationBridge
import Theming

// MARK: The main actor

nonisolated func themeReadOffTheMainActor(_ theme: ObservableTheme) -> Int {
  // expected-error@+1 {{main actor-isolated subscript 'subscript(_:)' can not be referenced from a nonisolated context}}
  theme[.size]
}

nonisolated func nameReadOffTheMainActor(_ theme: ObservableTheme) -> String {
  // expected-error@+1 {{main actor-isolated property 'themeName' can not be referenced from a nonisolated context}}
  theme.themeName
}

nonisolated func switchOffTheMainActor(_ theme: ObservableTheme) throws {
  // expected-error@+1 {{call to main actor-isolated instance method 'use' in a synchronous nonisolated context}}
  try theme.use(Theme("misuse", appearance: .dark))
}

nonisolated func themeMadeOffTheMainActor() -> ObservableTheme {
  // expected-error@+1 {{call to main actor-isolated initializer 'init(_:)' in a synchronous nonisolated context}}
  ObservableTheme()
}

nonisolated func sharedMirrorOffTheMainActor(_ property: SharedObserved<Int>) -> Int {
  // expected-error@+2 {{call to main actor-isolated initializer 'init(of:)' in a synchronous nonisolated context}}
  // expected-error@+1 {{main actor-isolated property 'value' can not be referenced from a nonisolated context}}
  SharedObservableMirror(of: property).value
}

nonisolated func trackingOffTheMainActor() -> Token {
  // expected-error@+1 {{call to main actor-isolated instance method 'forward(tracking:as:fileID:line:)' in a synchronous nonisolated context}}
  bus.forward(tracking: { 1 }, as: .number)
}

@MainActor
func onTheMainActor(_ property: SharedObserved<Int>) throws -> (Int, Int, Token) {
  let theme = ObservableTheme()
  try theme.use(Theme(theme.themeName, appearance: .dark))
  let mirror = SharedObservableMirror(of: property)
  return (theme[.size], mirror.value, bus.forward(tracking: { 1 }, as: .number))
}

// MARK: Mirrors

func valueOfAMirror(_ mirror: ObservableMirror<Int>) {
  // expected-error@+1 {{cannot assign to property: 'value' is a get-only property}}
  mirror.value = 1
}

// MARK: Events from models

@MainActor
func eventOfAnotherType() -> Token {
  // expected-error@+1 {{cannot convert value of type 'String' to closure result type 'Int'}}
  bus.forward(tracking: { "one" }, as: EventNames.number)
}
