// A file that declares an `AppHost` of its own names that of the library as `LaunchLoader.AppHost`.
extension LaunchLoader {
  /// The library's ``AppHost``, for a file with another type of that name.
  public typealias AppHost = LaunchLoader::AppHost
  /// The library's ``UnixSignal``, for a file with another type of that name.
  public typealias UnixSignal = LaunchLoader::UnixSignal
}
