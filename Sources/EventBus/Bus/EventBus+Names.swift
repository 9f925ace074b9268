// A file that declares a `Token` of its own names that of the library as `EventBus.Token`.
extension EventBus {
  /// The library's ``Token``, for a file with another type of that name.
  public typealias Token = EventBus::Token
  /// The library's ``TokenBag``, for a file with another type of that name.
  public typealias TokenBag = EventBus::TokenBag
  /// The library's ``Priority``, for a file with another type of that name.
  public typealias Priority = EventBus::Priority
  /// The library's ``Lifetime``, for a file with another type of that name.
  public typealias Lifetime = EventBus::Lifetime
  /// The library's ``Tick``, for a file with another type of that name.
  public typealias Tick = EventBus::Tick
}
