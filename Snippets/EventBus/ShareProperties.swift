// A property that many threads set, read and observe.

import EventBus

@MainActor final class Screen {
  var shown: [Double] = []

  func show(_ value: Double) { shown.append(value) }
}

let screen = Screen()
// snippet.show
let progress = SharedObserved(0.0)
progress.observe(owner: screen) { screen, change in screen.show(change.new) }
progress.value = 0.5
progress.update { $0 += 0.1 }
// snippet.hide
precondition(progress.value == 0.6)
while screen.shown.count < 2 { await Task.yield() }
precondition(screen.shown == [0.5, 0.6])
