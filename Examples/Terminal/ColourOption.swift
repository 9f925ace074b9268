/// The colour option of the command line.
package enum ColourOption: String, CaseIterable, Sendable {
  /// The environment decides.
  case auto
  /// The colours that the environment offers, even if it turns them off.
  case always
  /// No colours.
  case never
  /// The 16 named colours.
  case named = "16"
  /// The 256 colours of xterm.
  case palette = "256"
  /// All colours.
  case trueColour = "truecolor"
}
