// An event that needs no name, because it belongs to one object.

import EventBus

// snippet.hide
let export = Export()
// snippet.show
final class Export: Sendable {
  let didFinish = Signal<Int>()
  func run() { didFinish.send(42) }
}
let token = export.didFinish.observe { count in print(count) }
// snippet.hide
export.run()
token.cancel()
