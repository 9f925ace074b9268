import EventBus

// This program is compiled with the main actor as its default isolation.

extension EventNames {
  // expected-note@+1 2 {{static property declared here}}
  static let onMainActor = EventName<Int>("misuse.onMainActor")
}

nonisolated extension EventNames {
  static let everywhere = EventName<Int>("misuse.everywhere")
}

let bus = EventBus()

nonisolated func postOfAMainActorName(_ bus: EventBus) {
  // expected-error@+1 {{main actor-isolated static property 'onMainActor' can not be referenced from a nonisolated context}}
  bus.post(.onMainActor, 1)
}

nonisolated func registrationForAMainActorName(_ bus: EventBus) -> Token {
  // expected-error@+1 {{main actor-isolated static property 'onMainActor' can not be referenced from a nonisolated context}}
  bus.observe(.onMainActor) { _ in }
}

nonisolated func nonisolatedName(_ bus: EventBus) -> Token {
  bus.post(.everywhere, 1)
  return bus.observe(.everywhere) { _ in }
}

func namesOnTheMainActor() -> Token {
  bus.post(.onMainActor, 1)
  return bus.observe(.everywhere) { _ in }
}
