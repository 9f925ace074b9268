// NotificationCenter and its typed messages, for Documentation/Comparison.md. The order of the first and the third line
// differs in each run.
//
// It prints, for example:
//
//     ["9", "4", "5", "8", "11", "2", "0", "1", "6", "3", "7", "10"]
//     ["step 1", "posted"]
//     ["3", "5", "6", "11", "4", "0", "1", "2", "7", "8", "9", "10"]
//     [1, 2, 3, 4, 5, 6, 7, 8, 9, 0]

import Foundation

final class Log: @unchecked Sendable {  // Reason: one thread at a time.
  var lines: [String] = []
}

struct Step: NotificationCenter.MainActorMessage {
  typealias Subject = Log
  let number: Int
}

struct Job: NotificationCenter.AsyncMessage {
  typealias Subject = Log
  let number: Int
}

actor Jobs {
  private(set) var done: [Int] = []
  func finish(_ number: Int) { done.append(number) }
}

let center = NotificationCenter()
let name = Notification.Name("step")
let log = Log()
let jobs = Jobs()

// Blocks whose tokens are dropped, and their order.
for number in 0..<12 {
  _ = center.addObserver(forName: name, object: nil, queue: nil) { _ in
    log.lines.append("\(number)")
  }
}
center.post(name: name, object: nil)
print(log.lines)

// A message: before the post returns, and until the token is dropped.
log.lines = []
var token: NotificationCenter.ObservationToken? = center.addObserver(for: Step.self) { step in
  log.lines.append("step \(step.number)")
}
center.post(Step(number: 1), subject: log)
log.lines.append("posted")
token = nil
center.post(Step(number: 2), subject: log)
print(log.lines)

// The order of twelve observers of a message.
log.lines = []
let tokens = (0..<12).map { number in
  center.addObserver(for: Step.self) { _ in log.lines.append("\(number)") }
}
center.post(Step(number: 3), subject: log)
print(log.lines)

// Asynchronous messages, of which the first takes longest.
let working = center.addObserver(for: Job.self) { job in
  if job.number == 0 { try? await Task.sleep(for: .milliseconds(50)) }
  await jobs.finish(job.number)
}
for number in 0..<10 { center.post(Job(number: number), subject: log) }
try await Task.sleep(for: .milliseconds(300))
print(await jobs.done)
