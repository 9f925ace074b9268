import EventBus

extension EventNames {
  static let number = EventName<Int>("sample.number")
  static let text = EventName<String>("sample.text")
  static let nothing = EventName<Void>("sample.nothing")
}
