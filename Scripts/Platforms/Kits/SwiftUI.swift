// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// The part of SwiftUI that the samples use, for type checks on other systems. Declarations follow
// developer.apple.com/documentation/swiftui. Nothing here is ever called.

// `@preconcurrency` in SwiftUI.
@MainActor public protocol View {
  associatedtype Body: View
  @MainActor var body: Body { get }
}

extension Never: View {
  public var body: Never {
    fatalError("never called")  // Reason: as in SwiftUI.
  }
}

@MainActor public protocol Scene {
  associatedtype Body: Scene
  @MainActor var body: Body { get }
}

extension Never: Scene {}

@MainActor public protocol App {
  associatedtype Body: Scene
  @MainActor var body: Body { get }
  init()
}

public struct WindowGroup<Content: View>: Scene {
  public init(content: () -> Content) {}
  public var body: Never {
    fatalError("never called")  // Reason: as in SwiftUI.
  }
}

public struct Text: View {
  public init(_ text: String) {}
  public var body: Never {
    fatalError("never called")  // Reason: as in SwiftUI.
  }
}

public struct Color: Sendable {
  public init(red: Double, green: Double, blue: Double, opacity: Double = 1) {}
}

public enum ColorScheme: Sendable { case light, dark }
public enum ScenePhase: Sendable { case background, inactive, active }

public struct EnvironmentValues {
  public var colorScheme: ColorScheme { .light }
  public var scenePhase: ScenePhase { .active }
}

@propertyWrapper public struct Environment<Value> {
  public init(_ path: KeyPath<EnvironmentValues, Value>) {
    wrappedValue = EnvironmentValues()[keyPath: path]
  }
  public let wrappedValue: Value
}

@propertyWrapper public struct State<Value> {
  private let value: Value
  public init(wrappedValue: Value) { value = wrappedValue }
  public var wrappedValue: Value {
    get { value }
    nonmutating set {}
  }
}

extension View {
  public func foregroundStyle(_ color: Color) -> some View { self }
  public func task(@_inheritActorContext _ action: @escaping @Sendable () async -> Void)
    -> some View
  { self }
  public func onChange<Value: Equatable>(
    of value: Value,
    initial: Bool = false,
    _ action: @escaping (_ old: Value, _ new: Value) -> Void
  ) -> some View { self }
}

extension Scene {
  public func onChange<Value: Equatable>(
    of value: Value,
    initial: Bool = false,
    _ action: @escaping (_ old: Value, _ new: Value) -> Void
  ) -> some Scene { self }
}
