// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// The part of UIKit, and of what it exports of Foundation, that the samples use, for type checks on other
// systems. Declarations follow developer.apple.com/documentation/uikit (isolation, optionality); there are no
// Objective-C attributes. Nothing here is ever called.

public typealias CGFloat = Double

open class NSObject {
  public init() {}
}

public final class UIColor: Sendable {
  public init(red: CGFloat, green: CGFloat, blue: CGFloat, alpha: CGFloat) {}
}

// Every class of UIKit has its own initializers, on the main actor.
@MainActor open class UIResponder {
  public init() {}
}

@MainActor open class UIView: UIResponder {
  open var backgroundColor: UIColor?
  open func addSubview(_ view: UIView) {}
}

@MainActor open class UILabel: UIView {
  open var text: String?
  // `UIColor!` in UIKit, which is the same to a key path.
  open var textColor: UIColor?
}

public enum UIUserInterfaceStyle: Int, Sendable { case unspecified, light, dark }

public struct UITraitUserInterfaceStyle: Sendable {}

public final class UITraitCollection: NSObject {
  public var userInterfaceStyle: UIUserInterfaceStyle { .unspecified }
}

public protocol UITraitChangeRegistration {}

@MainActor open class UIViewController: UIResponder {
  // `UIView!` in UIKit, which key paths unwrap.
  open var view = UIView()
  open var traitCollection: UITraitCollection { UITraitCollection() }
  open func viewDidLoad() {}
  @discardableResult
  public func registerForTraitChanges<Controller: UIViewController>(
    _ traits: [Any.Type],
    handler: @escaping (Controller, UITraitCollection) -> Void
  ) -> (any UITraitChangeRegistration)? { nil }
}

@MainActor public final class UIApplication: UIResponder {
  public struct LaunchOptionsKey: Hashable, Sendable {}
  public nonisolated static let didReceiveMemoryWarningNotification = Notification.Name()
}

@MainActor public protocol UIApplicationDelegate: AnyObject {
  func application(
    _ application: UIApplication,
    didFinishLaunchingWithOptions options: [UIApplication.LaunchOptionsKey: Any]?
  ) -> Bool
}

extension UIApplicationDelegate {
  public static func main() {}
}

@MainActor open class UIScene: UIResponder {}
@MainActor open class UIWindow: UIView {}

@MainActor public protocol UIWindowSceneDelegate: AnyObject {
  func sceneDidBecomeActive(_ scene: UIScene)
  func sceneWillResignActive(_ scene: UIScene)
  func sceneWillEnterForeground(_ scene: UIScene)
  func sceneDidEnterBackground(_ scene: UIScene)
  func sceneDidDisconnect(_ scene: UIScene)
}

// Foundation
public struct Notification {
  public struct Name: Hashable, Sendable {}
}

public final class OperationQueue: Sendable {
  init() {}
  public static let main = OperationQueue()
}

public final class NotificationCenter: Sendable {
  init() {}
  public static let `default` = NotificationCenter()
  public func addObserver(
    forName name: Notification.Name?,
    object: Any?,
    queue: OperationQueue?,
    using block: @escaping @Sendable (Notification) -> Void
  ) -> NSObject { NSObject() }
}
