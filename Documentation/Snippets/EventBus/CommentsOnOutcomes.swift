// The samples of documentation comments about names, outcomes and read-only signals.

import EventBus

extension EventNames {
  static let userDidLogIn = EventName<String>("user.didLogIn")
  static let didSave = EventName<Void>("document.didSave")
}

let muted: Set<AnyEventName> = [.userDidLogIn, .didSave]
print(muted.contains(.didSave))  // true
// snippet.hide
precondition(muted.count == 2)

func outcome() async {
  // snippet.show
  let bus = EventBus()
  let name = EventName<Void>("document.willClose")
  let token = bus.observe(name) { await Task.yield() }
  let outcome = await bus.postAndWait(name)
  print(outcome.reachedCount, outcome.cancelledCount, outcome.droppedCount)  // 1 0 0
  token.cancel()
  // snippet.hide
  precondition(outcome.reachedCount == 1 && outcome.errors.isEmpty)
}

func readOnly() {
  // snippet.show
  final class Download: Sendable {
    private let finish = Signal<Int>()
    var didFinish: Signal<Int>.ReadOnly { finish.readOnly }
    func run() { finish.send(42) }
  }

  let download = Download()
  let token = download.didFinish.observe { count in print(count) }
  download.run()
  // snippet.hide
  token.cancel()
}

await outcome()
readOnly()
