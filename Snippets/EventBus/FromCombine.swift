// The equivalents of subjects and sinks.

import EventBus

final class Search: Sendable {
  let query = Signal<String>()  // PassthroughSubject<String, Never>
}

@MainActor final class Results {
  private(set) var title = ""
  private let bag = TokenBag()  // Set<AnyCancellable>

  init(_ search: Search) {
    search.query.observe(where: { !$0.isEmpty }) { [weak self] text in  // filter, sink
      self?.title = "Results for \(text)"  // on the main actor: no receive(on:)
    }
    .store(in: bag)
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

let count = SharedObserved(0)  // CurrentValueSubject<Int, Never>(0)
let changes = count.observe(options: .initial) { print($0.new) }  // sink
count.value = 1  // send(1), or value
count.update { $0 += 1 }  // atomic
let counts = count.readOnly  // eraseToAnyPublisher()

// snippet.hide
precondition(counts.value == 2)
changes.cancel()
