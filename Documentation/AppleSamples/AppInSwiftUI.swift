import LaunchLoader
import SwiftUI

/// Add `@main`.
struct Mail: App {
  @Environment(\.scenePhase) private var phase
  private let program = AppHost()

  init() {
    Task { [program] in
      do {
        _ = try await program.run()
      } catch {
        print("The program has ended: \(error)")
      }
    }
  }

  var body: some Scene {
    WindowGroup { Text("Mail") }
      .onChange(of: phase, initial: true) { _, phase in
        switch phase {
        case .active: program.report(.active)
        case .inactive: program.report(.inactive)
        case .background: program.report(.background)
        @unknown default: break
        }
      }
  }
}
