import Harness

/// `swift run -c release --package-path Benchmarks LaunchLoaderBenchmarks`; `--help` prints the
/// arguments.
@main
@MainActor
enum Program {
  static func main() async {
    let rows = FirstLaunch.rows + Services.rows + Looping.rows
    await Suite(ours: .launchLoader, peers: [.serviceLifecycle], rows: rows).main()
  }
}
