import Foundation
import SoakRun

/// `Soak [--kills=1000] [--seed=1]`: kills, and ends with a line that says how many acknowledged events were lost.
@main
enum Soak {
  static func main() async throws {
    func option(_ name: String) -> UInt64? {
      CommandLine.arguments.first { $0.hasPrefix("--\(name)=") }
        .flatMap { UInt64($0.dropFirst(name.count + 3)) }
    }
    let kills = Int(option("kills") ?? 1000)
    let seed = option("seed") ?? UInt64.random(in: 1...999_999)
    print("seed \(seed), \(kills) kills")
    let start = Date()
    let result = try await KillRun(seed: seed, kills: kills).run { kill in
      if kill.isMultiple(of: 50) { print("\(kill) kills") }
    }
    print(
      """
      seed \(seed): \(result.serverKills) kills of the server, \(result.consumerKills) of the consumer, \
      \(result.acknowledged) events acknowledged, \(result.handled) calls, \(result.lost.count) lost, \
      \(Int(Date().timeIntervalSince(start))) s
      """
    )
    if !result.lost.isEmpty {
      print("lost: \(result.lost.prefix(20))")
      exit(1)
    }
  }
}
