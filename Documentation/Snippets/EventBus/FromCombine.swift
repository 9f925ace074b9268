// The equivalents of subjects and sinks.

import EventBus

final class Search: Sendable {
  let query = Signal<String>()  // PassthroughSubject<String, Never>
}

@MainActor final class Results {
  private(set) var title = ""

  init(_ search: Search) {
    search.query.observe(owner: self, where: { !$0.isEmpty }) { results, text in  // filter, sink
      results.title = "Results for \(text)"  // on the main actor: no receive(on:)
    }
  }
}

let search = Search()
let queries = search.query.events(buffering: .bufferingNewest(1))  // values

// snippet.hide
let results = Results(search)
precondition(search.query.send("") == 1)
precondition(search.query.send("ice") == 2)
precondition(results.title == "Results for ice")
for await text in queries {
  precondition(text == "ice")
  break
}
// snippet.show
let count = SharedObserved(0)  // CurrentValueSubject<Int, Never>(0), BehaviorRelay(value: 0)
let changes = count.observe(initial: true) { print($0.new) }  // sink, subscribe(onNext:)
count.value = 1  // send(1), accept(1)
count.update { $0 += 1 }  // atomic
let counts = count.readOnly  // eraseToAnyPublisher(), asObservable()

// snippet.hide
precondition(counts.value == 2)
changes.cancel()
// snippet.show
struct Player: Sendable, Equatable {
  var title = ""
  var volume = 50
}

@MainActor final class VolumeLabel {
  private(set) var text = ""

  func follow(_ player: SharedObserved<Player>.ReadOnly) {
    player.observe(owner: self, initial: true) { label, change in
      // map(\.volume), removeDuplicates()
      guard change.kind == .initial || change.new.volume != change.old.volume else { return }
      label.text = "\(change.new.volume) %"
    }
  }
}

@Sendable func waitUntilLoud(_ player: SharedObserved<Player>.ReadOnly) async {
  for await value in player.values() where value.volume > 80 { break }  // first(where:)
}
// snippet.hide
let player = SharedObserved(Player())
let label = VolumeLabel()
label.follow(player.readOnly)
let waiting = Task { await waitUntilLoud(player.readOnly) }
player.update { $0.title = "Prelude" }
player.update { $0.volume = 90 }
await waiting.value
precondition(label.text == "90 %")
