// What to do when an object dies.

import EventBus

// snippet.hide
let screen = Screen()
// snippet.show
final class Screen: LifetimeOwner {
  let lifetime = Lifetime()
}
screen.lifetime.onEnd { print("gone") }
