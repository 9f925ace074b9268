private import Dispatch
public import EventBus
public import Foundation

extension EventBus {
  /// Posts an event for each notification of a center, until a token ends.
  ///
  /// ```swift
  /// import EventBus
  /// import Foundation
  /// import NotificationCenterBridge
  ///
  /// extension EventNames {
  ///   static let userDidLogIn = EventName<String>("user.didLogIn")
  /// }
  ///
  /// let token = EventBus.default.forward(
  ///   Notification.Name("userDidLogIn"),
  ///   from: .default,
  ///   as: .userDidLogIn
  /// ) { notification in
  ///   notification.userInfo?["name"] as? String
  /// }
  /// ```
  ///
  /// The event is posted synchronously, on the thread that posts the notification; on the main actor it is
  /// posted there, so that handlers there run before the notification's `post` returns. The sender
  /// of the event is the object of the notification, if that is an object.
  ///
  /// Together with `NotificationCenter.forward(_:from:as:)` an event and a notification can each replace the other,
  /// without an echo: mirrors bring an event to each bus and to each center once, and not back to where it was
  /// posted, however many of them it passes. The answer of a handler is a separate event. Only a notification with
  /// the `userInfo` of another counts as that one, because the bridge has added a key: give an answer its own
  /// dictionary.
  ///
  /// - Parameters:
  ///   - notification: The name of the notifications.
  ///   - center: The center, which the token keeps.
  ///   - object: The object that must have sent them; `nil` means any. It is not retained, and another object at
  ///     its address does not match.
  ///   - name: The name of the event.
  ///   - fileID: The file of the call, which is the site of the posts; filled in by the compiler.
  ///   - line: The line of the call.
  ///   - payload: Makes the payload, on the posting thread; `nil` leaves the notification out.
  /// - Returns: The token. Dropping it ends the forwarding; it does not keep the bus.
  public func forward<Payload>(
    _ notification: Notification.Name,
    from center: NotificationCenter,
    object: AnyObject? = nil,
    as name: EventName<Payload>,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    _ payload: @escaping @Sendable (Notification) -> Payload?
  ) -> Token {
    let filter = ObjectFilter(object)
    let mirror = Mirror(from: Routes.Source(center, notification), where: filter)
    let observer = center.addObserver(forName: notification, object: object, queue: nil) {
      [weak self, weak center] received in
      guard let self, let center, filter.admits(received) else { return }
      let journey =
        received.journey
        ?? OpenPosts.journey(by: mirror) {
          Routes.shared.mirrors(at: mirror.source, sender: filter.sender(of: received))
        }
      if journey.hasVisited(self, as: .event(name)) { return }
      guard let payload = payload(received) else { return }
      journey.visit(center, as: .notification(notification))
      journey.visit(self, as: .event(name))
      let sender = CarriedObject(object: filter.sender(of: received))
      let source = Routes.Source(self, name)
      let mirrors = Routes.shared.mirrors(at: source, sender: sender.object)
      let back = mirrors.last {
        $0.target?.center === center && $0.target?.notification == notification
      }
      let onward = mirrors.filter { $0 !== back }
      onMainActorIfThere {
        // Events that wait for the main actor are delivered now, because their handlers may post.
        if !onward.isEmpty { post(.mirrorContinues) }
        Passage.run(journey, to: onward) {
          post(
            name,
            payload,
            from: sender.object,
            excluding: back?.token,
            fileID: fileID,
            line: line
          )
        }
      } elsewhere: {
        Passage.run(journey, to: onward) {
          post(
            name,
            payload,
            from: sender.object,
            excluding: back?.token,
            fileID: fileID,
            line: line
          )
        }
      }
    }
    let registration = CenterRegistration(center, observer)
    mirror.begin()
    return Token {
      Routes.shared.remove(mirror)
      registration.end()
    }
  }

  /// Posts an event without a payload for each notification of a center, until a token ends.
  ///
  /// See the function of the same name with a closure for the payload.
  ///
  /// - Parameters:
  ///   - notification: The name of the notifications.
  ///   - center: The center, which the token keeps.
  ///   - object: The object that must have sent them; `nil` means any.
  ///   - name: The name of the event.
  ///   - fileID: The file of the call; filled in by the compiler.
  ///   - line: The line of the call.
  /// - Returns: The token.
  public func forward(
    _ notification: Notification.Name,
    from center: NotificationCenter,
    object: AnyObject? = nil,
    as name: EventName<Void>,
    fileID: StaticString = #fileID,
    line: UInt = #line
  ) -> Token {
    forward(notification, from: center, object: object, as: name, fileID: fileID, line: line) { _ in
      ()
    }
  }
}

extension NotificationCenter {
  /// Posts a notification for each event of a bus, until a token ends.
  ///
  /// ```swift
  /// import EventBus
  /// import Foundation
  /// import NotificationCenterBridge
  ///
  /// extension EventNames {
  ///   static let userDidLogOut = EventName<String>("user.didLogOut")
  /// }
  ///
  /// let token = NotificationCenter.default.forward(
  ///   .userDidLogOut,
  ///   from: .default,
  ///   as: Notification.Name("userDidLogOut")
  /// ) { user in
  ///   ["name": user]
  /// }
  /// ```
  ///
  /// The notification is posted synchronously, on the thread that posts the event, wherever its observers run
  /// then, and before the handlers of the bus are called: notifications keep the order of the events even if a
  /// handler posts in answer. An event that is kept for replay is posted as soon as it is forwarded, to any
  /// center. Several mirrors of one post share its journey: each bus and each center receives it once under
  /// each name, even from two mirrors to one name of one center.
  ///
  /// - Parameters:
  ///   - name: The name of the event.
  ///   - bus: The bus.
  ///   - notification: The name of the notification; `nil` means that of the event.
  ///   - sender: The sender that must have posted the event, which becomes the object of the notification; `nil`
  ///     means any, and a notification without an object. It is not retained.
  ///   - fileID: The file of the call; filled in by the compiler.
  ///   - line: The line of the call.
  ///   - userInfo: Makes the `userInfo`; by default it has the payload under
  ///     `Notification.payloadKey`. The bridge adds its own key.
  /// - Returns: The token. Dropping it ends the forwarding. Until then, the bus keeps the center.
  public func forward<Payload>(
    _ name: EventName<Payload>,
    from bus: EventBus,
    as notification: Notification.Name? = nil,
    sender: AnyObject? = nil,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    userInfo: @escaping @Sendable (Payload) -> [AnyHashable: Any] = {
      [Notification.payloadKey: $0]
    }
  ) -> Token {
    let notification = notification ?? Notification.Name(name.name)
    let mirror = Mirror(
      from: Routes.Source(bus, name),
      where: ObjectFilter(sender),
      to: (self, notification)
    )
    // The highest priority, so that the answer of a handler also follows as a notification. A mirror for one sender
    // is called before those for any: it knows whether the post calls them, and they do not know the reverse.
    let observation = bus.observe(
      name,
      from: sender,
      priority: Priority(sender == nil ? .max - 1 : .max),
      fileID: fileID,
      line: line
    ) { [weak bus, object = WeakObject(sender)] payload in
      let journey =
        Passage.journey(by: mirror)
        ?? OpenPosts.journey(by: mirror) {
          Routes.shared.siblings(of: mirror)
        }
      if let bus { journey.visit(bus, as: .event(name)) }
      guard journey.visit(self, as: .notification(notification)) else { return }
      Passage.leave {
        var userInfo = userInfo(payload)
        userInfo[Journey.key] = journey
        self.post(name: notification, object: object.value, userInfo: userInfo)
      }
    }
    mirror.begin(observation)
    return Token {
      Routes.shared.remove(mirror)
      observation.cancel()
    }
  }
}

extension EventNames {
  /// Posted where events that wait for an actor must be delivered first; kept, so that no hook misses a handler.
  fileprivate static let mirrorContinues = EventName<Void>(
    "EventBus.NotificationCenterBridge.mirrorContinues",
    replay: 1
  )
}

extension Notification {
  /// The key in `userInfo` of the payload of an event.
  public static let payloadKey = "payload"

  /// The journey of the notification, if a mirror posted it.
  fileprivate var journey: Journey? { userInfo?[Journey.key] as? Journey }
}

/// Runs a closure on the main actor if the caller is there, otherwise another closure.
///
/// The thread alone does not show it: on Linux, the main queue of a program with an asynchronous `main` is served by
/// other threads.
private func onMainActorIfThere(_ body: @MainActor () -> Void, elsewhere: () -> Void) {
  if Thread.isMainThread || DispatchQueue.getSpecific(key: MainQueue.key) != nil {
    MainActor.assumeIsolated(body)
  } else {
    elsewhere()
  }
}

/// Marks the main queue.
private enum MainQueue {
  static let key = {
    let key = DispatchSpecificKey<Void>()
    DispatchQueue.main.setSpecific(key: key, value: ())
    return key
  }()
}
