import Harness

/// `swift run -c release --package-path Benchmarks ThemingBenchmarks`; `--help` prints the arguments.
@main
@MainActor
enum Program {
  static func main() async {
    let rows = Switching.rows + Switching.growth + Subscribing.rows + Weighing.rows
    await Suite(ours: .theming, peers: Subject.peers, rows: rows).main()
  }
}
