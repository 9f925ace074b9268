// Elements of collections, weak properties, and properties of several threads.

import EventBus

@MainActor final class Library {
  @Observed var books = ["Emma", "Ulysses"]
  @Observed var readers: Set<String> = []

  func add(_ book: String) { _books.append(book) }
  func move(from index: Int, to destination: Int) { _books.move(from: index, to: destination) }
  func discard(where isWorn: (String) -> Bool) { _books.removeAll(where: isWorn) }
}

@MainActor final class List {
  var rows: [String] = []
}

let library = Library()
let list = List()
library.$books.observeElements(owner: list, initial: true) { list, change in
  for splice in change.minimalSplices() {
    list.rows.replaceSubrange(splice.range, with: splice.inserted)
  }
}
library.add("Dune")
library.move(from: 0, to: 2)
library.discard { $0.hasPrefix("U") }
library.books = ["Walden"] + library.books

// snippet.hide
precondition(list.rows == ["Walden", "Dune", "Emma"])
library.books.reverse()
precondition(list.rows == ["Emma", "Dune", "Walden"])
library.$books.unobserve(owner: list)
list.rows = []
// snippet.show
library.$readers.observe(owner: list) { list, change in
  list.rows.removeAll { change.old.subtracting(change.new).contains($0) }
  list.rows += change.new.subtracting(change.old)
}
library.readers.formUnion(["Ada", "Grace", "Mary"])
library.readers.remove("Mary")

// snippet.hide
precondition(list.rows.sorted() == ["Ada", "Grace"])
library.readers = ["Alan"]
precondition(list.rows == ["Alan"])
// snippet.show
final class Visitor: LifetimeOwner, Sendable {
  let lifetime = Lifetime()
}

@MainActor final class Desk {
  @WeakObserved var visitor: Visitor?
}

let desk = Desk()
desk.visitor = Visitor()  // no strong reference remains
print(desk.visitor == nil)

// snippet.hide
precondition(desk.visitor == nil)
// snippet.show
let progress = SharedObserved(0.0)

@MainActor final class Downloads {
  @Observed var progress = 0.0
  private(set) lazy var summary = Computed($progress) { "\(Int($0 * 100)) %" }

  init(_ shared: SharedObserved<Double>.ReadOnly) {
    shared.bind(to: self, \.progress)
  }
}

let downloads = Downloads(progress.readOnly)
progress.update { $0 = 0.5 }
print(downloads.summary.value)  // 50 %
// snippet.hide
precondition(downloads.summary.value == "50 %")
