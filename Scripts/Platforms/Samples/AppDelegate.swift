import EventBus
import LaunchLoader
import UIKit

@main
final class AppDelegate: UIResponder, UIApplicationDelegate {
  static let program = AppHost()
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

  func applicationWillTerminate(_ application: UIApplication) {
    Self.program.shutdown()
  }
}

final class SceneDelegate: UIResponder, UIWindowSceneDelegate {
  var window: UIWindow?

  func sceneDidBecomeActive(_ scene: UIScene) { AppDelegate.program.becomeActive() }
  func sceneWillResignActive(_ scene: UIScene) { AppDelegate.program.resignActive() }
  func sceneDidEnterBackground(_ scene: UIScene) { AppDelegate.program.enterBackground() }
  func sceneWillEnterForeground(_ scene: UIScene) { AppDelegate.program.enterForeground() }
}
