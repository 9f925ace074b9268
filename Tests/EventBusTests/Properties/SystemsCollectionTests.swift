import EventBus
import TestSupport
import Testing

@Suite("Established systems: observing collections")
struct SystemsCollectionTests {
  @Test("KVO: initial, old, new, prior; …; to-many with kinds")
  func toManyWithKinds() {
    final class Library {
      @Observed var books = ["Emma", "Ulysses"]
      @Observed var readers: Set<String> = []
      @Observed var loans: [String: String] = [:]

      var booksProperty: Observed<[String]> { _books }
      var readersProperty: Observed<Set<String>> { _readers }
      var loansProperty: Observed<[String: String]> { _loans }
    }
    /// A list on a screen, which shows every kind of change in its own way.
    final class List: LifetimeOwner {
      let lifetime = Lifetime()
      var rows: [String] = []
      var story: [String] = []

      func show(_ change: CollectionChange<[String]>) {
        if change.kind != .splices { story.append("\(change.kind)") }
        for splice in change.difference() {
          story.append("\(splice.kind) at \(splice.range): \(splice.removed)→\(splice.inserted)")
          rows.apply(splice)
        }
      }
    }
    let library = Library()
    var list: List? = List()
    let notes = Notes<String>()
    if let list {
      library.$books.observeElements(owner: list, options: .initial) { list, change in
        list.show(change)
      }
    }
    let tokens = [
      library.$readers.observeElements { notes.append("\($0.inserted) \($0.removed)") },
      library.$loans.observeElements { change in
        for (book, update) in change.updated {
          notes.append("\(book): \(update.old)→\(update.new)")
        }
      },
    ]

    library.booksProperty.insert("Dune", at: 1)  // insertion, with its index
    library.booksProperty.remove(at: 0)  // removal, with what went
    library.booksProperty.replace(at: 0, with: "Solaris")  // replacement, old and new
    library.books = ["Solaris", "Ulysses", "Walden"]  // setting
    #expect(list?.rows == library.books)
    #expect(
      list?.story == [
        "initial",
        #"insertion at 0..<0: []→["Emma", "Ulysses"]"#,
        #"insertion at 1..<1: []→["Dune"]"#,
        #"removal at 0..<1: ["Emma"]→[]"#,
        #"replacement at 0..<1: ["Dune"]→["Solaris"]"#,
        "setting",
        #"insertion at 2..<2: []→["Walden"]"#,
      ]
    )

    library.readersProperty.insert("Ada")
    library.readersProperty.remove("Ada")
    library.loansProperty["Dune"] = "Ada"
    library.loansProperty["Dune"] = "Grace"
    #expect(notes.entries == [#"["Ada"] []"#, #"[] ["Ada"]"#, "Dune: Ada→Grace"])

    // The observer dies without notice to the library, which continues.
    list = nil
    library.booksProperty.append("Emma")
    #expect(library.$books.observerSlotCount <= 1)
    withExtendedLifetime(tokens) {}
  }
}
