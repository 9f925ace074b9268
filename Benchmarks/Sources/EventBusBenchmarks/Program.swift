import Harness

/// `swift run -c release --package-path Benchmarks`; `--help` prints the arguments.
@main
@MainActor
enum Program {
  static func main() async {
    let posts = Posting.rows + Home.rows + Owners.rows + Senders.rows + Hooks.rows
    let alone = posts + Registering.rows + Replaying.rows + Properties.rows + Collections.rows
    let later = Streams.rows + Later.rows + Timers.rows
    let launching = Launching.rows + Starting.rows + Signals.rows
    let counts = Memory.rows + Counts.rows + Home.counts + Properties.counts
    // The sizes first: the table of a bus grows with the number of names in the process.
    let first = Sizes.rows + alone + later + Seeing.rows + Threads.rows
    let rows = first + launching + Growth.rows + counts
    await Suite(ours: .eventBus, peers: Subject.peers, rows: rows).main()
  }
}
