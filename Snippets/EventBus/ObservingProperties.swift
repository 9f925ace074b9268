// Properties that report each change.

import EventBus

@MainActor final class Account {
  @Observed var balance = 0
  @Observed var owner = "Ada"
  @Observed var history: [Int] = []
  @Observed(notifies: .manually) var visits = 0
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

let token = account.$balance.observe(options: [.initial, .prior]) { change in
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

let limit = account.$balance.willSet { old, proposed in
  proposed = min(proposed, 100)  // replace
  return proposed >= 0  // or decline
}

// snippet.hide
account.balance = 500
precondition(account.balance == 100)
account.balance = -1
precondition(account.balance == 100)
limit.cancel()
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

account.visits += 1
account.visits += 1
account.$visits.notifyChange(from: 0)
account.$balance.withoutNotifying { $0 += 1 }

let lifetime = Lifetime()
let balances = account.$balance.values(until: lifetime)

// snippet.hide
account.balance = 1
lifetime.end()
var seen: [Int] = []
for await balance in balances { seen.append(balance) }
precondition(seen == [9, 1])
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
