# The expected diagnostics for users of the libraries, for Scripts/gates/misuse.sh:
#
#   warns MESSAGE TITLE, refuses MESSAGE TITLE, accepts TITLE <<'PROGRAM'
#
# A program may use the declarations of the prelude in misuse.sh. Where an error could have another
# cause, a program without the misuse follows and must compile.

unused="result of call to '[a-zA-Z]+\(.*\)' is unused"

# A registration that is not stored ends at once: the compiler warns.

warns "$unused" "a registration that is not stored" <<'SWIFT'
import EventBus

func use() { bus.observe(.number) { _ in } }
SWIFT

warns "$unused" "an asynchronous registration that is not stored" <<'SWIFT'
import EventBus

func use() { bus.observe(.number) { _ in await Task.yield() } }
SWIFT

warns "$unused" "a registration for one sender that is not stored" <<'SWIFT'
import EventBus

func use(_ sender: Shared) {
  bus.observe(.number, from: sender, priority: .high, once: true, where: { $0 > 0 }) { _ in }
}
SWIFT

warns "$unused" "a registration for every event that is not stored" <<'SWIFT'
import EventBus

func use() { bus.observeAll { _ in } }
SWIFT

warns "$unused" "a registration with a signal that is not stored" <<'SWIFT'
import EventBus

func use(_ signal: Signal<Int>) { signal.observe { _ in } }
SWIFT

warns "$unused" "a pause that is not stored" <<'SWIFT'
import EventBus

func use(_ token: Token) { token.pause() }
SWIFT

warns "$unused" "a stream that is not iterated" <<'SWIFT'
import EventBus

func use() { bus.events(.number) }
SWIFT

warns "unused" "an action token that is not stored" <<'SWIFT'
import EventBus

func use() { Token {} }
SWIFT

warns "$unused" "a launch loader's attachment that is not stored" <<'SWIFT'
import LaunchLoader

func use() { loader.attach(to: bus) }
SWIFT

# The result of a registration kept elsewhere may be ignored.

accepts "registrations kept by an owner" <<'SWIFT'
import EventBus

func use(_ owner: Shared, _ worker: Worker, _ signal: Signal<Int>) {
  bus.observe(.number, owner: owner) { _, _ in }
  bus.observe(.number, owner: owner) { _, _ in await Task.yield() }
  bus.observe(.nothing, owner: owner) { owner, _ in _ = owner }
  bus.observe(.number, owner: worker) { worker, number in worker.add(number) }
  signal.observe(owner: owner) { _, _ in }
  signal.observe(owner: owner) { _, _ in await Task.yield() }
}
SWIFT

accepts "registrations that are stored, attached or cancelled" <<'SWIFT'
import EventBus

func use(_ bag: TokenBag, _ lifetime: Lifetime) {
  bus.observe(.number) { _ in }.store(in: bag)
  bus.observe(.number) { _ in }.attach(to: lifetime)
  bus.observe(.number) { _ in }.cancel()
}
SWIFT

accepts "hooks at the end of a lifetime" <<'SWIFT'
import EventBus

func use(_ lifetime: Lifetime) { lifetime.onEnd {} }
SWIFT

accepts "posts whose count is ignored" <<'SWIFT'
import EventBus

func use(_ signal: Signal<Int>, _ event: Signal<Void>) async {
  bus.post(.number, 1)
  bus.post(.nothing)
  bus.enqueue(.number, 1)
  await bus.postAndWait(.number, 1)
  signal.send(1)
  event.send()
}
SWIFT

accepts "launch work whose token is not stored" <<'SWIFT'
import LaunchLoader

func use() {
  loader.register("work") { _ in }
  LaunchLoader.register { _ in await Task.yield() }
}
SWIFT

accepts "a view that follows the theme" <<'SWIFT'
import Theming

@MainActor
func use(_ view: View) { ThemeManager.shared.follow(view, [.set(\.color, .color)]) }
SWIFT

# Payloads.

other_name="produces result of type 'EventName<Int>', but context expects 'EventName<String>'"
unshared="type '[a-zA-Z.]*' \(aka 'Unshared'\) does not|type 'Unshared' does not"
unshared="($unshared) conform to the 'Sendable' protocol"
captured="capture of 'owner' with non-Sendable type 'Unshared' in a '@Sendable' closure"

refuses "$other_name" "a post with another payload" <<'SWIFT'
import EventBus

func use() { bus.post(.number, "one") }
SWIFT

refuses "$other_name" "an enqueued event with another payload" <<'SWIFT'
import EventBus

func use() { bus.enqueue(.number, "one") }
SWIFT

refuses "cannot convert value of type 'String' to expected argument type 'Int'" \
  "a signal sent with another payload" <<'SWIFT'
import EventBus

func use(_ signal: Signal<Int>) { signal.send("one") }
SWIFT

refuses "result of type 'EventName<Int>' but contextual base was inferred as 'EventName<Void>'" \
  "a post without its payload" <<'SWIFT'
import EventBus

func use() { bus.post(.number) }
SWIFT

refuses "$other_name" "a handler of another payload" <<'SWIFT'
import EventBus

func use() -> Token { bus.observe(.number) { (text: String) in } }
SWIFT

refuses "$unshared" \
  "a payload that may not be shared between threads" <<'SWIFT'
import EventBus

func use() { _ = EventName<Unshared>("misuse.unshared") }
SWIFT

accepts "a payload that may be shared between threads" <<'SWIFT'
import EventBus

func use() { _ = EventName<Shared>("misuse.shared") }
SWIFT

refuses "$unshared" \
  "a signal whose payload may not be shared between threads" <<'SWIFT'
import EventBus

func use() { _ = Signal<Unshared>() }
SWIFT

# The name spaces are not types to instantiate.

refuses "'EventNames' initializer is inaccessible|missing argument" "a name without a payload" <<'SWIFT'
import EventBus

func use() { _ = EventNames() }
SWIFT

refuses "cannot inherit from non-open class 'EventNames'" "a subclass of EventNames" <<'SWIFT'
import EventBus

class Names: EventNames, @unchecked Sendable {}
SWIFT

# Owners and handlers.

refuses "$unshared" \
  "an owner that may not be shared between threads" <<'SWIFT'
import EventBus

func use(_ owner: Unshared) { bus.observe(.number, owner: owner) { _, _ in } }
SWIFT

refuses "requires that 'Int' be a class type" "an owner of a value type" <<'SWIFT'
import EventBus

func use(_ owner: Int) { bus.observe(.number, owner: owner) { _, _ in } }
SWIFT

refuses "$captured" \
  "a handler that captures a type that may not be shared between threads" <<'SWIFT'
import EventBus

func use(_ owner: Unshared) -> Token { bus.observe(.number) { owner.count += $0 } }
SWIFT

refuses "main actor-isolated property 'size' can not be mutated from a Sendable closure" \
  "a handler written off the main actor that touches a view" <<'SWIFT'
import EventBus

func use(_ view: View) -> Token { bus.observe(.number) { view.size = $0 } }
SWIFT

accepts "a handler written on the main actor that touches a view" <<'SWIFT'
import EventBus

@MainActor
func use(_ view: View) -> Token { bus.observe(.number) { view.size = $0 } }
SWIFT

accepts "a view of the main actor that owns a registration and has a lifetime" <<'SWIFT'
import EventBus

@MainActor
final class Screen: LifetimeOwner {
  let lifetime = Lifetime()
  var number = 0

  init() { bus.observe(.number, owner: self) { screen, number in screen.number = number } }
}
SWIFT

refuses "$captured" \
  "a hook at the end that captures a type that may not be shared between threads" <<'SWIFT'
import EventBus

func use(_ lifetime: Lifetime, _ owner: Unshared) { lifetime.onEnd { owner.count = 0 } }
SWIFT

# Launching.

refuses "$captured" \
  "launch work that captures a type that may not be shared between threads" <<'SWIFT'
import LaunchLoader

func use(_ owner: Unshared) { loader.register { _ in owner.count = 1 } }
SWIFT

refuses "$unshared" \
  "a launch option that may not be shared between threads" <<'SWIFT'
import LaunchLoader

enum Key: LaunchOptionKey { typealias Value = Unshared }
SWIFT

refuses "cannot assign value of type 'String' to subscript of type 'Key.Value'" \
  "a launch option of another type" <<'SWIFT'
import LaunchLoader

enum Key: LaunchOptionKey { typealias Value = Int }

func use(_ options: inout LaunchOptions) { options[Key.self] = "one" }
SWIFT

accepts "a launch option of its type" <<'SWIFT'
import LaunchLoader

enum Key: LaunchOptionKey { typealias Value = Int }

func use(_ options: inout LaunchOptions) { options[Key.self] = 1 }
SWIFT

refuses "thrown expression type 'LaunchError' cannot be converted to error type 'ThemeError'" \
  "a launch with another error type" <<'SWIFT'
import LaunchLoader
import Theming

func use() async throws(ThemeError) { try await loader.launch() }
SWIFT

# Theming.

refuses "cannot assign value of type 'Int' to subscript of type 'RGBA'" \
  "a value of another type for a key" <<'SWIFT'
import Theming

func use(_ theme: inout Theme) { theme[ThemeKeys.color] = 1 }
SWIFT

# Swift 6.3 rejects this program without a specific diagnostic.
refuses "cannot assign value of type 'Int' to subscript of type 'RGBA'|failed to produce diagnostic" \
  "a value of another type for a key with a leading dot" <<'SWIFT'
import Theming

func use(_ theme: inout Theme) { theme[.color] = 1 }
SWIFT

accepts "a value of the key's type" <<'SWIFT'
import Theming

func use(_ theme: inout Theme) -> Int {
  theme[.size] = 2
  return theme[.size]
}
SWIFT

refuses "result of type 'ThemeKey<RGBA>' but contextual base was inferred as 'ThemeKey<Int>'" \
  "a property of another type than its key" <<'SWIFT'
import Theming

@MainActor
func use(_ view: View) { ThemeManager.shared.follow(view, [.set(\.size, .color)]) }
SWIFT

refuses "produces result of type 'ThemeKey<Int>', but context expects 'ThemeKey<RGBA>\?'" \
  "an alias of a key with another type of value" <<'SWIFT'
import Theming

func use(_ theme: inout Theme) { theme[alias: .color] = .size }
SWIFT

refuses "cannot assign value of type 'ThemeKey<Int>' to type 'ThemeKey<RGBA>'" \
  "an alias of a key with another type of value, written out" <<'SWIFT'
import Theming

func use(_ theme: inout Theme) { theme[alias: ThemeKeys.color] = ThemeKeys.size }
SWIFT

accepts "an alias of a key with the same type of value" <<'SWIFT'
import Theming

extension ThemeKeys {
  static let accent = ThemeKey("misuse.accent", default: RGBA(red: 0, green: 0, blue: 0))
}

func use(_ theme: inout Theme) {
  theme[alias: .color] = .accent
  theme[alias: .color] = nil
}
SWIFT

refuses "cannot assign value of type 'Int' to subscript of type" "a value for an alias" <<'SWIFT'
import Theming

func use(_ theme: inout Theme) { theme[alias: ThemeKeys.size] = 2 }
SWIFT

refuses "type 'Skin' does not conform to protocol 'ThemeSchema'" \
  "a schema of names without types" <<'SWIFT'
import Theming

enum Skin: ThemeSchema { static let keys = ["misuse.color", "misuse.size"] }
SWIFT

accepts "a schema, and a document of its keys" <<'SWIFT'
import Theming

enum Skin: ThemeSchema { static let keys: [ThemeKeys] = [.color, .size] }

func use(_ decoder: any Decoder) throws -> Theme {
  try ThemeDocument<Skin>(from: decoder).theme(extending: Theme("base"), strict: true)
}
SWIFT

refuses "thrown expression type 'ThemeError' cannot be converted to error type 'LaunchError'" \
  "a document's error with another type" <<'SWIFT'
import LaunchLoader
import Theming

enum Skin: ThemeSchema { static let keys: [ThemeKeys] = [] }

func use(_ document: ThemeDocument<Skin>) throws(LaunchError) -> Theme { try document.theme() }
SWIFT

refuses "'ThemeIssue' initializer is inaccessible" "an issue created by a user" <<'SWIFT'
import Theming

func use() { _ = ThemeIssue(.unknownKey, key: "color") }
SWIFT

refuses "'ThemeKeys' initializer is inaccessible|missing arguments" "a key without a value" <<'SWIFT'
import Theming

func use() { _ = ThemeKeys() }
SWIFT

refuses "$unshared" \
  "a key whose value may not be shared between threads" <<'SWIFT'
import Theming

func use(_ value: Unshared) { _ = ThemeKey("misuse.unshared", default: value) }
SWIFT

refuses "requires that 'Shared' conform to 'Equatable'" "a key whose value cannot be compared" <<'SWIFT'
import Theming

func use(_ value: Shared) { _ = ThemeKey("misuse.shared", default: value) }
SWIFT

refuses "@Themed is for properties of classes" "a structure with a theme map" <<'SWIFT'
import Theming

struct Label { @Themed var themeMap: ThemeMap<View>? }
SWIFT

accepts "a class with a theme map" <<'SWIFT'
import Theming

@MainActor
final class Label { @Themed var themeMap: ThemeMap<Label>? }

@MainActor
func use(_ label: Label) { label.themeMap = [] }
SWIFT

refuses "main actor-isolated property 'themeMap' can not be (mutated|referenced) from" \
  "a theme map set or read off the main actor" <<'SWIFT'
import Theming

final class Chart { @Themed var themeMap: ThemeMap<Chart>? }

func use(_ chart: Chart) {
  chart.themeMap = nil
  _ = chart.themeMap
}
SWIFT

accepts "a class outside any actor, with a theme map set on the main actor" <<'SWIFT'
import Theming

final class Chart {
  @MainActor @Themed var themeMap: ThemeMap<Chart>?

  init() {}
}

@MainActor
func use(_ chart: Chart) { chart.themeMap = nil }
SWIFT

refuses "call to main actor-isolated instance method 'use' in a synchronous nonisolated context" \
  "a theme switched off the main actor" <<'SWIFT'
import Theming

func use(_ manager: ThemeManager) throws { try manager.use(Theme("dark")) }
SWIFT
