// The equivalents of relays and dispose bags.

import EventBus

extension EventNames {
  static let didChangeVolume = EventName<Int>("player.didChangeVolume")
}

@MainActor final class VolumeLabel: LifetimeOwner {
  let lifetime = Lifetime()
  private(set) var text = ""

  init(_ bus: EventBus) {
    bus.observe(.didChangeVolume, owner: self) { label, volume in  // withUnretained(self)
      label.text = "\(volume) %"
    }
  }
}

let bus = EventBus()
var label: VolumeLabel? = VolumeLabel(bus)
label?.lifetime.onEnd { print("gone") }  // rx.deallocated
let loudOnce = bus.observe(.didChangeVolume, once: true, where: { $0 > 80 }) { volume in
  print("loud: \(volume)")  // filter, take(1)
}

// snippet.hide
bus.post(.didChangeVolume, 30)
precondition(label?.text == "30 %" && loudOnce.isActive)
bus.post(.didChangeVolume, 90)
precondition(!loudOnce.isActive)
label = nil
precondition(bus.signal(.didChangeVolume).observerCount == 0)
// snippet.show

extension EventNames {
  static let isOnline = EventName<Bool>("network.isOnline", replay: 1)  // ReplaySubject
}

bus.post(.isOnline, true)
let changes = bus.events(.isOnline)  // begins with the recorded payload

// snippet.hide
for await isOnline in changes {
  precondition(isOnline)
  break
}
// snippet.show

let volume = SharedObserved(50)  // BehaviorRelay(value: 50)
let shown = volume.observe(initial: true) { print($0.new) }  // subscribe(onNext:)
volume.value = 60  // accept(60)
let volumes = volume.readOnly  // asObservable()

// snippet.hide
precondition(volumes.value == 60)
shown.cancel()
