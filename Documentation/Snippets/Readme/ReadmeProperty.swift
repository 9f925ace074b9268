// A property whose changes are observed.

import EventBus

@MainActor final class Account { @Observed var balance = 0 }

let account = Account()
let token = account.$balance.observe { change in print("\(change.old) → \(change.new)") }
account.balance = 5  // 0 → 5
