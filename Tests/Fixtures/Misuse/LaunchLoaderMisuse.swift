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
