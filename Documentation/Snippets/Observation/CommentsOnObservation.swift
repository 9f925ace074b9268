// The samples of the documentation comments of ObservationBridge.

import EventBus
import Observation
import ObservationBridge
import Theming

extension ThemeKeys {
  static let paper = ThemeKey("color.paper", default: RGBA(red: 255, green: 255, blue: 255))
}

let theme = ObservableTheme(ThemeManager(Theme("Day", appearance: .dark)))
let paper = theme[.paper]  // in the `body` of a view, which then follows this key
try theme.use(Theme("Night", appearance: .dark) { $0[.paper] = RGBA(red: 20, green: 20, blue: 30) })
// snippet.hide
precondition(paper.hex == "#ffffff" && theme[.paper].hex == "#14141e")

// snippet.show
@MainActor final class Account {
  @Observed var balance = 0
}

let account = Account()
let balance = ObservableMirror(of: account.$balance)  // kept by the view, for example in a `@State`
print(balance.value)  // in the `body` of the view, which then follows the property
account.balance = 5
// snippet.hide
precondition(balance.value == 5)

// snippet.show
let progress = SharedObserved(0.0)
let mirror = SharedObservableMirror(of: progress)  // kept by the view, for example in a `@State`
print(mirror.value)  // in the `body` of the view, which then follows the property
progress.value = 0.5  // on any thread
// snippet.hide
precondition(progress.value == 0.5)

// snippet.show
extension EventNames {
  static let cartDidChange = EventName<Int>("cart.didChange")
}

@MainActor @Observable final class Cart {
  var items: [String] = []
}

let cart = Cart()
let token = EventBus.default.forward(tracking: { cart.items.count }, as: .cartDidChange)
cart.items.append("tea")  // posted in a later job of the main actor
// snippet.hide
var heard: [Int] = []
let hearing = EventBus.default.observe(.cartDidChange) { heard.append($0) }
await Task { @MainActor in }.value
precondition(heard == [1])
withExtendedLifetime((token, hearing)) {}
