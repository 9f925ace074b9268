import EventBus

// These errors are found after type checking, in programs that are otherwise correct.

/// An object that belongs to an actor.
final class Dial {
  var angle = 0
}

// MARK: An object that is bound to a shared property stays on its actor.

actor Machine {
  func binds(_ property: SharedObserved<Int>) {
    let dial = Dial()
    property.bind(to: dial, \.angle)
    // expected-error@+1 {{passing closure as a 'sending' parameter risks causing data races}}
    Task.detached {
      // expected-note@+1 {{closure captures 'dial' which is accessible to 'self'-isolated code}}
      dial.angle = 1
    }
  }

  func binds(_ property: SharedObserved<Int>.ReadOnly) {
    let dial = Dial()
    property.bind(to: dial, \.angle)
    // expected-error@+1 {{passing closure as a 'sending' parameter risks causing data races}}
    Task.detached {
      // expected-note@+1 {{closure captures 'dial' which is accessible to 'self'-isolated code}}
      dial.angle = 1
    }
  }

  /// Without a binding, the object may leave the actor.
  func bindsNothing() {
    let dial = Dial()
    Task.detached { dial.angle = 1 }
  }
}

@MainActor
func binds(_ property: SharedObserved<Int>) {
  let dial = Dial()
  property.bind(to: dial, \.angle)
  // expected-error@+1 {{passing closure as a 'sending' parameter risks causing data races}}
  Task.detached {
    // expected-note@+1 {{closure captures 'dial' which is accessible to main actor-isolated code}}
    dial.angle = 1
  }
}
