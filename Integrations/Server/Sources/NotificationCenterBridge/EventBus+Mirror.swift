private import Dispatch
public import EventBus
public import Foundation

extension EventBus {
  /// Posts an event for each notification of a centre, until a token ends.
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
  /// let token = EventBus.default.mirror(
  ///   NotificationCenter.default,
  ///   Notification.Name("userDidLogIn"),
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
  /// Together with `NotificationCenter.mirror(_:_:as:)` an event and a
  /// notification can each stand for the other, without an echo: what came from one side does not go back. What
  /// a handler posts in answer does, as it is a post of its own.
  ///
  /// - Parameters:
  ///   - center: The centre, which the token keeps.
  ///   - notification: The name of the notifications.
  ///   - object: The object that must have sent them; `nil` means any. It is not retained, and another object at
  ///     its address does not match.
  ///   - name: The name of the event.
  ///   - fileID: The file of the call, which is the site of the posts; filled in by the compiler.
  ///   - line: The line of the call.
  ///   - payload: Makes the payload, on the posting thread; `nil` leaves the notification out.
  /// - Returns: The token. Dropping it ends the mirroring; it does not keep the bus.
  public func mirror<Payload>(
    _ center: NotificationCenter,
    _ notification: Notification.Name,
    object: AnyObject? = nil,
    as name: EventName<Payload>,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    _ payload: @escaping @Sendable (Notification) -> Payload?
  ) -> Token {
    let route = Route(name: name, notification: notification)
    let filter = ObjectFilter(object)
    let observer = center.addObserver(forName: notification, object: object, queue: nil) {
      [weak self, weak center] received in
      guard let self, let center, filter.admits(received) else { return }
      if received.origin?.isOf(self, route) == true { return }
      guard let payload = payload(received) else { return }
      let sender = CarriedObject(object: filter.sender(of: received))
      let echo = Routes.shared.token(of: route, sender: sender.object, from: self, to: center)
      onMainActorIfThere {
        post(name, payload, from: sender.object, excluding: echo, fileID: fileID, line: line)
      } elsewhere: {
        post(name, payload, from: sender.object, excluding: echo, fileID: fileID, line: line)
      }
    }
    let registration = CenterRegistration(center, observer)
    return Token { registration.end() }
  }

  /// Posts an event without a payload for each notification of a centre, until a token ends.
  ///
  /// See the function of the same name with a closure for the payload.
  ///
  /// - Parameters:
  ///   - center: The centre, which the token keeps.
  ///   - notification: The name of the notifications.
  ///   - object: The object that must have sent them; `nil` means any.
  ///   - name: The name of the event.
  ///   - fileID: The file of the call; filled in by the compiler.
  ///   - line: The line of the call.
  /// - Returns: The token.
  public func mirror(
    _ center: NotificationCenter,
    _ notification: Notification.Name,
    object: AnyObject? = nil,
    as name: EventName<Void>,
    fileID: StaticString = #fileID,
    line: UInt = #line
  ) -> Token {
    mirror(center, notification, object: object, as: name, fileID: fileID, line: line) { _ in () }
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
  /// let token = NotificationCenter.default.mirror(
  ///   .default,
  ///   .userDidLogOut,
  ///   as: Notification.Name("userDidLogOut")
  /// ) { user in
  ///   ["name": user]
  /// }
  /// ```
  ///
  /// The notification is posted synchronously, on the thread that posts the event, wherever its observers run
  /// then. An event that is kept for replay is posted as soon as it is mirrored. Several mirrors of an event to
  /// one name of one centre have different senders: of two for the same sender, or for any, each posts a
  /// notification for each event, and only the newer one is without an echo.
  ///
  /// - Parameters:
  ///   - bus: The bus.
  ///   - name: The name of the event.
  ///   - notification: The name of the notification; `nil` means that of the event.
  ///   - sender: The sender that must have posted the event, which becomes the object of the notification; `nil`
  ///     means any, and a notification without an object. It is not retained.
  ///   - fileID: The file of the call; filled in by the compiler.
  ///   - line: The line of the call.
  ///   - userInfo: Makes the `userInfo`; by default it has the payload under
  ///     `Notification.payloadKey`. The bridge adds a key of its own.
  /// - Returns: The token. Dropping it ends the mirroring. Until then, the bus keeps the centre.
  public func mirror<Payload>(
    _ bus: EventBus,
    _ name: EventName<Payload>,
    as notification: Notification.Name? = nil,
    from sender: AnyObject? = nil,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    userInfo: @escaping @Sendable (Payload) -> [AnyHashable: Any] = {
      [Notification.payloadKey: $0]
    }
  ) -> Token {
    let notification = notification ?? Notification.Name(name.rawValue)
    let route = Route(name: name, notification: notification)
    let origin = Origin(bus, route)
    let object = WeakObject(sender)
    let observation = bus.observe(name, from: sender, fileID: fileID, line: line) { payload in
      var userInfo = userInfo(payload)
      userInfo[Origin.key] = origin
      self.post(name: notification, object: object.value, userInfo: userInfo)
    }
    let entry = Routes.shared.add(
      observation,
      for: route,
      where: ObjectFilter(sender),
      from: bus,
      to: self
    )
    return Token {
      Routes.shared.remove(entry)
      observation.cancel()
    }
  }
}

extension Notification {
  /// The key in `userInfo` of the payload of an event.
  public static let payloadKey = "payload"

  /// The event that the notification came from, if it came from one.
  fileprivate var origin: Origin? { userInfo?[Origin.key] as? Origin }
}

/// Runs a closure on the main actor if the caller is there, otherwise another closure.
///
/// The thread alone does not tell: on Linux, the main queue of a program with an asynchronous `main` is served by
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
