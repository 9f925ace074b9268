/// The arguments of the command line.
struct Arguments: Sendable {
  static let usage = "usage: daemon [--settings FILE]"

  private(set) var settings = "/etc/daemon/settings.json"
  private(set) var wantsHelp = false

  init(_ words: some Sequence<String>) throws(UsageError) {
    var words = words.makeIterator()
    while let word = words.next() {
      switch word {
      case "--help", "-h": wantsHelp = true
      case "--settings":
        guard let file = words.next() else {
          throw UsageError(description: "--settings needs a file")
        }
        settings = file
      default: throw UsageError(description: "unknown argument \"\(word)\"")
      }
    }
  }
}

/// A mistake on the command line.
struct UsageError: Error, CustomStringConvertible {
  let description: String
}
