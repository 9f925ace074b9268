// What a loop over `Observations` sees of several assignments, for Documentation/Comparison.md.
//
// It prints, for example:
//
//     five assignments
//     [0, 5]

import Observation

@Observable @MainActor final class Counter { var count = 0 }

let counter = Counter()
let counts = Observations { counter.count }
let loop = Task { @MainActor in
  var received: [Int] = []
  for await count in counts {
    received.append(count)
    if count == 5 { break }
  }
  print(received)
}
try await Task.sleep(for: .milliseconds(50))
for count in 1...5 { counter.count = count }
print("five assignments")
await loop.value
