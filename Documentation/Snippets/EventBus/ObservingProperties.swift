// Properties that report each change.

import EventBus

@MainActor final class Account {
  @Observed var balance = 0
  @Observed var owner = "Ada"
  @Observed private(set) var history: [Int] = []
  @Observed(notifies: .manually) private(set) var visits = 0

  func record() { _history.append(balance) }

  func visit(times: Int) {
    let old = visits
    visits += times
    _visits.notifyChange(from: old)
  }
}

@MainActor final class Screen {
  var text = ""
}

let account = Account()
let screen = Screen()
account.$balance.observe(owner: screen) { screen, change in
  screen.text = "\(change.old) → \(change.new)"
}
account.balance = 5

// snippet.hide
precondition(screen.text == "0 → 5")
// snippet.show
let token = account.$balance.observe(initial: true, prior: true) { change in
  switch change.kind {
  case .initial: print("is \(change.new)")
  case .prior: print("will change to \(change.new)")
  case .set: print("changed from \(change.old)")
  }
}

// snippet.hide
account.balance = 6
token.cancel()
// snippet.show
@MainActor final class Meter {
  @Observed private(set) var reading = 0
  private var limit: Token?

  init() {
    limit = _reading.validate { old, proposed in
      proposed = min(proposed, 100)  // replace
      return proposed >= old  // or decline
    }
  }

  func read(_ value: Int) { reading = value }

  func reset() { _reading.withoutNotifying { $0 = 0 } }
}

let meter = Meter()
meter.$reading.observe(owner: screen) { screen, change in screen.text = "\(change.new)" }
meter.read(500)

// snippet.hide
precondition(screen.text == "100")
meter.read(50)
precondition(meter.reading == 100)
meter.reset()
precondition(meter.reading == 0 && screen.text == "100")
account.record()
precondition(account.history == [6])
// snippet.show
let summary = Computed(account.$owner, account.$balance) { owner, balance in
  "\(owner) has \(balance)"
}
summary.observe(owner: screen) { screen, change in screen.text = change.new }

batch {
  account.owner = "Grace"
  account.balance = 7
}

// snippet.hide
precondition(screen.text == "Grace has 7")
summary.unobserve(owner: screen)
account.$balance.unobserve(owner: screen)
// snippet.show
@MainActor final class Player {
  @Observed var account: Account?
}

let player = Player()
player.$account.observe(\.$balance, owner: screen) { screen, change in
  screen.text = change.new.map { "\($0)" } ?? "no account"
}
player.account = account

// snippet.hide
precondition(screen.text == "7")
account.balance = 8
precondition(screen.text == "8")
player.account = nil
precondition(screen.text == "no account")
// snippet.show
let visits = account.$visits.observe { change in print("\(change.new - change.old) visits") }
account.visit(times: 2)

let lifetime = Lifetime()
let balances = account.$balance.values(until: lifetime)

// snippet.hide
visits.cancel()
account.balance = 1
lifetime.end()
var seen: [Int] = []
for await balance in balances { seen.append(balance) }
precondition(seen == [8, 1])
// snippet.show
struct SavedAccount: Codable {
  var balance: Int
  var owner: String
}

extension Account {
  var saved: SavedAccount { SavedAccount(balance: balance, owner: owner) }

  func restore(_ saved: SavedAccount) {
    batch {
      balance = saved.balance
      owner = saved.owner
    }
  }
}
// snippet.hide
let heir = Account()
var reports = 0
let heirSummary = Computed(heir.$owner, heir.$balance) { "\($0) \($1)" }
let counting = heirSummary.observe { _ in reports += 1 }
heir.restore(account.saved)
precondition(heir.owner == "Grace" && heir.balance == 1 && reports == 1)
counting.cancel()
