import Foundation
import OpenCombine
import Theming

/// One notification for all; each view reads what it follows from a dictionary, as themes made of
/// property lists are read.
@MainActor
final class CenterSwitcher: SkinSwitcher {
  @MainActor
  final class View {
    let look = Look()
    var token: (any NSObjectProtocol)?
    let center: NotificationCenter

    init(_ center: NotificationCenter) { self.center = center }

    isolated deinit { if let token { center.removeObserver(token) } }
  }

  private static let name = Notification.Name("benchmarks.theme")
  private let center = NotificationCenter()
  private var theme: [String: Any] = ["ink": ink(0), "corner": 4, "badge": 1]

  func makeView() -> View { View(center) }

  func look(of view: View) -> Look { view.look }

  func dress(_ view: View, as dress: Dress) {
    apply(to: view, dress)
    view.token = center.addObserver(forName: Self.name, object: nil, queue: nil) {
      [weak self, weak view] _ in
      MainActor.assumeIsolated { if let self, let view { self.apply(to: view, dress) } }
    }
  }

  private func apply(to view: View, _ dress: Dress) {
    switch dress {
    case .row:
      if let ink = theme["ink"] as? RGBA { view.look.ink = ink }
      if let corner = theme["corner"] as? Int { view.look.corner = corner }
    case .badge:
      if let badge = theme["badge"] as? Int { view.look.badge = badge }
    }
  }

  func undress(_ view: View) {
    if let token = view.token.take() { center.removeObserver(token) }
  }

  func changeRows(_ number: Int) {
    theme["ink"] = ink(number)
    theme["corner"] = number
    center.post(name: Self.name, object: nil)
  }

  func changeBadges(_ number: Int) {
    theme["badge"] = number
    center.post(name: Self.name, object: nil)
  }
}

/// One subject; each property is a pipeline from it that passes only changes.
@MainActor
final class PipelineSwitcher: SkinSwitcher {
  @MainActor
  final class View {
    let look = Look()
    var pipelines: [AnyCancellable] = []
  }

  private let subject = CurrentValueSubject<Skin, Never>(Skin(ink: ink(0), corner: 4, badge: 1))

  func makeView() -> View { View() }

  func look(of view: View) -> Look { view.look }

  func dress(_ view: View, as dress: Dress) {
    switch dress {
    case .row:
      view.pipelines = [
        subject.map(\.ink).removeDuplicates().sink { [weak view] value in
          MainActor.assumeIsolated { view?.look.ink = value }
        },
        subject.map(\.corner).removeDuplicates().sink { [weak view] value in
          MainActor.assumeIsolated { view?.look.corner = value }
        },
      ]
    case .badge:
      view.pipelines = [
        subject.map(\.badge).removeDuplicates().sink { [weak view] value in
          MainActor.assumeIsolated { view?.look.badge = value }
        }
      ]
    }
  }

  func undress(_ view: View) { view.pipelines = [] }

  func changeRows(_ number: Int) {
    subject.value = Skin(ink: ink(number), corner: number, badge: subject.value.badge)
  }

  func changeBadges(_ number: Int) {
    subject.value = Skin(ink: subject.value.ink, corner: subject.value.corner, badge: number)
  }
}

/// A list of closures with weak references to their views: none is removed, and all are called.
@MainActor
final class LoopSwitcher: SkinSwitcher {
  @MainActor
  final class View {
    let look = Look()
  }

  private var skin = Skin(ink: ink(0), corner: 4, badge: 1)
  private var closures: [(Skin) -> Void] = []

  func makeView() -> View { View() }

  func look(of view: View) -> Look { view.look }

  func dress(_ view: View, as dress: Dress) {
    let apply: (Skin) -> Void =
      switch dress {
      case .row:
        { [weak view] skin in
          guard let view else { return }
          view.look.ink = skin.ink
          view.look.corner = skin.corner
        }
      case .badge: { [weak view] skin in view?.look.badge = skin.badge }
      }
    apply(skin)
    closures.append(apply)
  }

  func undress(_ view: View) {}

  func changeRows(_ number: Int) {
    skin.ink = ink(number)
    skin.corner = number
    for closure in closures { closure(skin) }
  }

  func changeBadges(_ number: Int) {
    skin.badge = number
    for closure in closures { closure(skin) }
  }
}
