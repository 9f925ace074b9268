// What is done to the elements of a collection, a set or a dictionary.

import EventBus

@MainActor final class Library {
  @Observed var books = ["Emma", "Ulysses"]
  @Observed var readers: Set<String> = []
  @Observed var loans: [String: String] = [:]
}

@MainActor final class List {
  var rows: [String] = []

  func replaceRows(_ range: Range<Int>, with rows: [String]) {
    self.rows.replaceSubrange(range, with: rows)
  }

  func removeAllRows() { rows = [] }

  func removeRow(_ row: String) { rows.removeAll { $0 == row } }

  func addRow(_ row: String) { rows.append(row) }
}

let library = Library()
let list = List()

library.$books.observeElements(owner: list, options: .initial) { list, change in
  for splice in change.difference() { list.replaceRows(splice.range, with: splice.inserted) }
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

// snippet.show
let token = library.$books.observeElements { change in
  switch change.kind {
  case .initial, .setting: print("all: \(change.new)")
  case .splices:
    for splice in change.splices {
      switch splice.kind {
      case .insertion: print("came: \(splice.inserted)")
      case .removal: print("went: \(splice.removed)")
      case .replacement: print("\(splice.removed) gave way to \(splice.inserted)")
      }
    }
  }
}
// snippet.hide
library.$books.remove(at: 0)
token.cancel()
list.rows = []

// snippet.show
library.$readers.observeElements(owner: list) { list, change in
  if change.isReset { list.removeAllRows() }
  for reader in change.removed { list.removeRow(reader) }
  for reader in change.inserted { list.addRow(reader) }
}
library.$readers.insert("Ada")
library.$readers.formUnion(["Grace", "Mary"])
library.$readers.remove("Mary")
// snippet.hide
precondition(list.rows.sorted() == ["Ada", "Grace"])
library.readers = ["Alan"]
precondition(list.rows == ["Alan"])
library.$readers.unobserve(owner: list)
list.rows = []

// snippet.show
library.$loans.observeElements(owner: list) { list, change in
  if change.isReset { list.removeAllRows() }
  for book in change.removed.keys { list.removeRow(book) }
  for book in change.inserted.keys { list.addRow(book) }
  for (book, update) in change.updated { print("\(book): \(update.old), now \(update.new)") }
}
library.$loans["Dune"] = "Ada"
library.$loans["Dune"] = "Grace"
library.$loans["Emma"] = "Grace"
library.$loans["Dune"] = nil
// snippet.hide
precondition(list.rows == ["Emma"])
