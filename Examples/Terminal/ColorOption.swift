/// The color option of the command line.
package enum ColorOption: String, CaseIterable, Sendable {
  /// The environment decides.
  case auto
  /// The colors that the environment offers, even if it turns them off.
  case always
  /// No colors.
  case never
  /// The 16 named colors.
  case named = "16"
  /// The 256 colors of xterm.
  case palette = "256"
  /// All colors.
  case trueColor = "truecolor"
}
