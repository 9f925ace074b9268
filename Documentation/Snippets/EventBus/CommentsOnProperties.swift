// The samples of documentation comments about properties.

import EventBus

// snippet.hide
@MainActor func batched() {
  // snippet.show
  @MainActor final class Account {
    @Observed var owner = "Ada"
    @Observed var balance = 0
  }

  let account = Account()
  let token = account.$balance.observe { change in print("\(change.old) → \(change.new)") }
  batch {
    account.balance = 5
    account.balance = 7
  }  // 0 → 7
  // snippet.hide
  precondition(account.balance == 7)
  token.cancel()
}

@MainActor func computed() {
  // snippet.show
  @MainActor final class Account {
    @Observed var owner = "Ada"
    @Observed var balance = 0
  }

  let account = Account()
  let summary = Computed(account.$owner, account.$balance) { owner, balance in
    "\(owner) has \(balance)"
  }
  let token = summary.observe { change in print(change.new) }
  account.balance = 5  // Ada has 5
  // snippet.hide
  precondition(summary.value == "Ada has 5")
  token.cancel()
}

@MainActor func bound() {
  // snippet.show
  @MainActor final class Account {
    @Observed var owner = "Ada"
  }

  @MainActor final class Screen {
    var text = ""
  }

  let account = Account()
  let screen = Screen()
  account.$owner.bind(to: screen, \.text)
  // snippet.hide
  account.owner = "Grace"
  precondition(screen.text == "Grace")
}

@MainActor func readOnly() {
  // snippet.show
  @MainActor final class Library {
    @Observed private(set) var books: [String] = []

    func add(_ book: String) { _books.append(book) }
  }

  @MainActor final class Shelf {
    var books: [String] = []
  }

  let (library, shelf) = (Library(), Shelf())
  library.$books.bind(to: shelf, \.books)
  library.add("Emma")
  // snippet.hide
  precondition(shelf.books == ["Emma"])
}

@MainActor func anyProperty() {
  // snippet.show
  @MainActor final class Meter {
    var text = ""

    func show(_ number: some ObservedProperty<Int>) {
      number.observe(owner: self, initial: true) { meter, change in
        meter.text = "\(change.new)"
      }
    }
  }

  let (meter, count) = (Meter(), Observed(wrappedValue: 0))
  meter.show(count.readOnly)
  count.wrappedValue = 1
  // snippet.hide
  precondition(meter.text == "1")
}

@MainActor func path() {
  // snippet.show
  @MainActor final class Account {
    @Observed var balance = 0
  }

  @MainActor final class Player {
    @Observed var account: Account?
  }

  @MainActor final class Screen {
    var text = ""
  }

  let player = Player()
  let screen = Screen()
  player.$account.observe(\.$balance, owner: screen) { screen, change in
    screen.text = change.new.map { "\($0)" } ?? "no account"
  }
  player.account = Account()
  // snippet.hide
  precondition(screen.text == "0")
}

@MainActor func shared() {
  // snippet.show
  let progress = SharedObserved(0.0)
  let token = progress.observe { change in print("\(change.old) → \(change.new)") }
  progress.value = 0.5
  progress.update { $0 += 0.1 }

  @MainActor final class Downloads {
    @Observed var progress = 0.0
    private(set) lazy var summary = Computed($progress) { "\(Int($0 * 100)) %" }

    init(_ shared: SharedObserved<Double>) {
      shared.bind(to: self, \.progress)
    }
  }
  // snippet.hide
  precondition(progress.value == 0.6)
  let downloads = Downloads(progress)
  precondition(downloads.summary.value == "60 %")
  token.cancel()
}

@MainActor func sharedBinding() {
  // snippet.show
  @MainActor final class ProgressBar {
    var fraction = 0.0
  }

  let progress = SharedObserved(0.5)
  let bar = ProgressBar()
  progress.bind(to: bar, \.fraction)  // on the main actor
  // snippet.hide
  precondition(bar.fraction == 0.5)
}

// snippet.show
final class Visitor: LifetimeOwner, Sendable {
  let lifetime = Lifetime()
}

@MainActor final class Badge {
  weak var visitor: Visitor?
}

@MainActor func show(_ visitor: WeakObserved<Visitor>.ReadOnly, on badge: Badge) {
  visitor.bind(to: badge, \.visitor)
}
// snippet.hide

@MainActor func weakBinding() {
  let (property, visitor, badge) = (WeakObserved<Visitor>(), Visitor(), Badge())
  property.wrappedValue = visitor
  show(property.readOnly, on: badge)
  precondition(badge.visitor === visitor)
}

@MainActor func collection() {
  // snippet.show
  @MainActor final class Library {
    @Observed private(set) var books = ["Emma", "Ulysses"]

    func add(_ book: String) { _books.append(book) }
  }

  let library = Library()
  var rows: [String] = []
  let token = library.$books.observeElements(initial: true) { change in
    for splice in change.minimalSplices() {
      rows.replaceSubrange(splice.range, with: splice.inserted)
    }
  }
  library.add("Dune")
  // snippet.hide
  precondition(rows == ["Emma", "Ulysses", "Dune"])
  token.cancel()
}

batched()
computed()
bound()
readOnly()
anyProperty()
path()
shared()
sharedBinding()
weakBinding()
collection()
