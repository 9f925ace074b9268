// What one wrote with subjects and sinks.

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

// snippet.hide
let search = Search()
let results = Results(search)
precondition(search.query.send("") == 0)
precondition(search.query.send("ice") == 1)
precondition(results.title == "Results for ice")

// snippet.show
let queries = search.query.events(buffering: .bufferingNewest(1))  // values
// snippet.hide
search.query.send("snow")
for await text in queries {
  precondition(text == "snow")
  break
}
