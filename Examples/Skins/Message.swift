/// A message in the mailbox.
struct Message: Sendable {
  let sender: String
  let subject: String
  let time: String
  var isUnread = false

  /// The initial messages.
  static let first = [
    Message(sender: "Ada", subject: "Notes on the engine, part G", time: "09:12", isUnread: true),
    Message(
      sender: "Grace",
      subject: "Found it: there was a moth",
      time: "09:31",
      isUnread: true
    ),
    Message(sender: "Edsger", subject: "Where not to go to", time: "09:48"),
    Message(sender: "Barbara", subject: "Somebody will substitute for me", time: "10:05"),
    Message(sender: "Alan", subject: "Will it stop? I cannot say", time: "10:20", isUnread: true),
    Message(sender: "Katherine", subject: "I checked the numbers", time: "10:44"),
  ]

  /// The messages that arrive later, repeatedly.
  static let later = [
    Message(sender: "Margaret", subject: "1202: carry on", time: "11:02", isUnread: true),
    Message(sender: "Tony", subject: "Sorry about null", time: "11:19"),
    Message(sender: "Radia", subject: "No loops in this tree", time: "11:40", isUnread: true),
    Message(sender: "Donald", subject: "A check for your bug", time: "12:00"),
  ]
}
