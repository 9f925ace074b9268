import EventBus
import LaunchLoader

// MARK: Registrations

func unstoredAttachment() {
  // expected-warning@+1 {{result of call to 'attach(to:)' is unused}}
  loader.attach(to: bus)
}

func launchWorkWhoseTokenIsNotStored() {
  loader.register("work") { _ in }
  LaunchLoader.register { _ in await Task.yield() }
}

func launchWorkWithAnUnsharedCapture(_ owner: Unshared) {
  // expected-error@+1 {{capture of 'owner' with non-Sendable type 'Unshared' in a '@Sendable' closure}}
  loader.register { _ in owner.count = 1 }
}

// MARK: Options

// expected-error@+1 {{type 'UnsharedKey.Value' (aka 'Unshared') does not conform to the 'Sendable' protocol}}
enum UnsharedKey: LaunchOptionKey {
  typealias Value = Unshared
}

enum NumberKey: LaunchOptionKey { typealias Value = Int }

func optionOfAnotherType(_ options: inout LaunchOptions) {
  // expected-error@+1 {{cannot assign value of type 'String' to subscript of type 'NumberKey.Value' (aka 'Int')}}
  options[NumberKey.self] = "one"
}

func optionOfItsType(_ options: inout LaunchOptions) { options[NumberKey.self] = 1 }

// MARK: Values

nonisolated extension LaunchKeys {
  static let amount = LaunchKey<Int>("misuse.amount")
  static let label = LaunchKey<String>("misuse.label")
  // expected-error@+1 * {{type 'Unshared' does not conform to the 'Sendable' protocol}}
  static let unshared = LaunchKey<Unshared>("misuse.unshared")
}

func fewerParametersThanNeeds() {
  // expected-error@+1 {{contextual closure type '@isolated(any) @Sendable (LaunchOptions, Int, String) throws -> Void' expects 3 arguments, but 2 were used in closure body}}
  loader.register("few", needs: .amount, .label) { _, amount in print(amount) }
}

func moreParametersThanNeeds() {
  // expected-error@+1 {{contextual closure type '@isolated(any) @Sendable (LaunchOptions, Int) throws -> Void' expects 2 arguments, but 3 were used in closure body}}
  LaunchLoader.register("many", needs: .amount) { _, amount, label in print(amount) }
}

func asynchronousClosureWithoutItsNeed() {
  // expected-error@+1 {{contextual closure type '@isolated(any) @Sendable (LaunchOptions, Int) async throws -> Void' expects 2 arguments, but 1 was used in closure body}}
  LaunchLoader.register("none", needs: .amount) { _ in await Task.yield() }
}

func makerWithoutItsNeed() {
  // expected-error@+1 {{contextual closure type '@isolated(any) @Sendable (LaunchOptions, String) throws -> Int' expects 2 arguments, but 1 was used in closure body}}
  LaunchLoader.register(.amount, needs: .label) { _ in 1 }
}

func makerOfAnotherType() {
  // expected-error@+1 {{'callAsFunction(_:needs:after:afterIfPresent:phase:timeout:when:undo:close:run:)' is unavailable: the closure must return the type of its LaunchKey}}
  loader.register(.amount) { _ in "one" }
  // expected-error@+1 {{'callAsFunction(_:needs:after:afterIfPresent:phase:timeout:when:undo:close:run:)' is unavailable: the closure must return the type of its LaunchKey}}
  loader.register(LaunchKeys.amount, phase: .early) { _ in
    await Task.yield(); return "one"
  }
  // expected-error@+1 {{'callAsFunction(_:needs:after:afterIfPresent:phase:timeout:when:undo:close:run:)' is unavailable: the closure must return the type of its LaunchKey}}
  LaunchLoader.register(.label) { options in options.arguments.count }
  // expected-error@+1 {{'callAsFunction(_:needs:after:afterIfPresent:phase:timeout:when:undo:close:run:)' is unavailable: the closure must return the type of its LaunchKey}}
  loader.register(.amount, needs: .label) { _, label in label }
  // expected-error@+1 {{'callAsFunction(_:needs:after:afterIfPresent:phase:timeout:when:undo:close:run:)' is unavailable: the closure must return the type of its LaunchKey}}
  LaunchLoader.register(.amount, needs: .label, .amount) { _, label, amount in label }
}

func valueOfTheWrongType() {
  // expected-error@+1 {{cannot convert value of type 'Int' to specified type 'String'}}
  loader.register("wrong", needs: .amount) { _, amount in let text: String = amount }
}

func workWithRightNeeds() {
  loader.register("right", needs: .amount, .label) { _, amount, label in print(amount, label) }
  LaunchLoader.register(.amount, needs: .label) { _, label in label.count }
}

// A member that a value does not have is reported where it is used.
func workWithAMissingMember() {
  // expected-error@+2 {{'callAsFunction(_:needs:after:afterIfPresent:phase:timeout:when:run:)' is unavailable: the closure does not fit the values; see the error inside it}}
  // expected-error@+1 {{'subscript(dynamicMember:)' is unavailable: no such property, or not of this type; for details, write the parameter's type: { (value: Type) in … }}}
  loader.register("missing", needs: .amount) { _, amount in print(amount.missing) }
  // expected-error@+2 {{'callAsFunction(_:needs:_:after:afterIfPresent:phase:timeout:when:run:)' is unavailable: the closure does not fit the values; see the error inside it}}
  // expected-error@+1 {{'subscript(dynamicMember:)' is unavailable: no such property, or not of this type; for details, write the parameter's type: { (value: Type) in … }}}
  LaunchLoader.register("missing", needs: .amount, .label) { _, _, label in print(label.missing) }
}

func launchValuesOfAnotherType(_ context: AppServiceContext) async throws {
  // expected-error@+1 {{'value(of:)' is unavailable: the key's values have another type; see its declaration}}
  let text: String = try await loader.value(of: .amount)
  // expected-error@+1 {{'value(of:)' is unavailable: the key's values have another type; see its declaration}}
  let other: String = try await context.value(of: .amount)
  print(text, other)
}

// MARK: Services

struct Importer: AppService {
  func run(_ context: AppServiceContext) async throws {}
}

func serviceBehindItsName(_ app: AppHost) throws {
  // expected-error@+1 {{'add' is unavailable: the service comes first: write add(service, named: name)}}
  try app.add("importer", Importer())
  try app.add(Importer(), named: "importer")
}
