// Changes of the elements of an array and of a set.

import EventBus

@MainActor final class Library {
  @Observed var books = ["Emma", "Ulysses"]
  @Observed var readers: Set<String> = []
}

@MainActor final class List {
  var rows: [String] = []
}

let library = Library()
let list = List()
library.$books.observeElements(owner: list, options: .initial) { list, change in
  for splice in change.difference() {
    list.rows.replaceSubrange(splice.range, with: splice.inserted)
  }
}
library.$books.append("Dune")
library.$books.move(from: 0, to: 2)
library.$books.removeAll { $0.hasPrefix("U") }
library.books = ["Walden"] + library.books

// snippet.hide
precondition(list.rows == ["Walden", "Dune", "Emma"])
library.books.reverse()
precondition(list.rows == ["Emma", "Dune", "Walden"])
library.$books.unobserve(owner: list)
list.rows = []
// snippet.show

library.$readers.observeElements(owner: list) { list, change in
  if change.isReset { list.rows = [] }
  list.rows.removeAll { change.removed.contains($0) }
  list.rows += change.inserted
}
library.$readers.insert("Ada")
library.$readers.formUnion(["Grace", "Mary"])
library.$readers.remove("Mary")

// snippet.hide
precondition(list.rows.sorted() == ["Ada", "Grace"])
library.readers = ["Alan"]
precondition(list.rows == ["Alan"])
