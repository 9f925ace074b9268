import Foundation
import SoakRun
import Synchronization

/// Kills, and ends with a line with the number of lost acknowledged events.
///
///     Soak [--kills=1000] [--seed=1] [--minutes=180]
///
/// After an interrupt it ends as after the last kill.
@main
enum Soak {
  static func main() async throws {
    func option(_ name: String) -> UInt64? {
      CommandLine.arguments.first { $0.hasPrefix("--\(name)=") }
        .flatMap { UInt64($0.dropFirst(name.count + 3)) }
    }
    let kills = Int(option("kills") ?? 1000)
    let seed = option("seed") ?? UInt64.random(in: 1...999_999)
    let minutes = Double(option("minutes") ?? 100_000)
    let isInterrupted = Atomic<Bool>(false)
    for number in [SIGINT, SIGTERM] { signal(number, SIG_IGN) }
    let sources = [SIGINT, SIGTERM].map { DispatchSource.makeSignalSource(signal: $0) }
    for source in sources {
      source.setEventHandler { isInterrupted.store(true, ordering: .relaxed) }
      source.resume()
    }
    say("seed \(seed), \(kills) kills")
    let start = Date()
    let result = try await KillRun(seed: seed, kills: kills).run { kill in
      let elapsed = Date().timeIntervalSince(start)
      if kill.isMultiple(of: 10) { say("\(kill) kills, \(Int(elapsed)) s") }
      return elapsed < minutes * 60 && !isInterrupted.load(ordering: .relaxed)
    }
    withExtendedLifetime(sources) {}
    say(
      """
      seed \(seed): \(result.serverKills) kills of the server, \(result.consumerKills) of the consumer, \
      \(result.acknowledged) events acknowledged, \(result.handled) calls, \(result.lost.count) lost, \
      \(Int(Date().timeIntervalSince(start))) s
      """
    )
    if !result.lost.isEmpty {
      say("lost: \(result.lost.prefix(20))")
      exit(1)
    }
  }
  /// Writes a line at once, even into a file.
  private static func say(_ line: String) {
    FileHandle.standardOutput.write(Data("\(line)\n".utf8))
  }
}
