import EventBus
import ObservationBridge

// MARK: Mirrors belong to the isolation domain of their property

func mirrorOnAnotherActor(_ mirror: ObservableMirror<Int>) {
  // expected-error@+2 {{sending 'mirror' risks causing data races}}
  // expected-note@+1 {{task-isolated 'mirror' is captured by a main actor-isolated closure. main actor-isolated uses in closure may race against later nonisolated uses}}
  Task { @MainActor in print(mirror.value) }
}
