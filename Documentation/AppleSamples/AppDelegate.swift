import EventBus
import LaunchLoader
import UIKit

@main
final class AppDelegate: UIResponder, UIApplicationDelegate {
  static let program = AppHost()
  static let phases = ScenePhases(of: program)
  private var running: Task<Void, Never>?

  func application(
    _ application: UIApplication,
    didFinishLaunchingWithOptions options: [UIApplication.LaunchOptionsKey: Any]?
  ) -> Bool {
    running = Task {
      do {
        _ = try await Self.program.run()
      } catch {
        print("The program has ended: \(error)")
      }
    }
    return true
  }
}

/// Reports the phase of the most active scene: the app is active as long as one of its scenes is.
@MainActor
final class ScenePhases {
  private let program: AppHost
  private var levels: [ObjectIdentifier: AppState.Level] = [:]

  init(of program: AppHost) { self.program = program }

  func set(_ level: AppState.Level?, of scene: UIScene) {
    levels[ObjectIdentifier(scene)] = level
    switch levels.values.max() {
    case .active: program.report(.active)
    case .inactive: program.report(.inactive)
    default: program.report(.background)
    }
  }
}

final class SceneDelegate: UIResponder, UIWindowSceneDelegate {
  var window: UIWindow?

  func sceneWillEnterForeground(_ scene: UIScene) { AppDelegate.phases.set(.inactive, of: scene) }
  func sceneDidBecomeActive(_ scene: UIScene) { AppDelegate.phases.set(.active, of: scene) }
  func sceneWillResignActive(_ scene: UIScene) { AppDelegate.phases.set(.inactive, of: scene) }
  func sceneDidEnterBackground(_ scene: UIScene) { AppDelegate.phases.set(.background, of: scene) }
  func sceneDidDisconnect(_ scene: UIScene) { AppDelegate.phases.set(nil, of: scene) }
}
