/// What one theme says itself, apart from the theme it was derived from.
internal struct ThemeLayer: Sendable {
  /// The values, by key.
  internal var values: [ThemeKeys: any AnyThemeValue] = [:]
}
