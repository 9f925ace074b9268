/// The page: one document with its style and its script, which loads nothing.
enum Page {
  private static let style = text(PackageResources.page_css)
  private static let script = [
    PackageResources.dom_js, PackageResources.format_js, PackageResources.model_js,
    PackageResources.layout_js, PackageResources.filter_js, PackageResources.painter_js,
    PackageResources.timeline_js, PackageResources.overview_js, PackageResources.strip_js,
    PackageResources.log_js, PackageResources.detail_js, PackageResources.observers_js,
    PackageResources.services_js, PackageResources.launch_js, PackageResources.themes_js,
    PackageResources.connection_js, PackageResources.keyboard_js, PackageResources.main_js,
  ].map(text).joined(separator: "\n")

  /// The page of a server.
  ///
  /// - Parameter nonce: The password of the style and the script under the policy of the response.
  /// - Returns: The text of the document.
  static func live(nonce: String) -> String { document(nonce, policy: "", data: "") }

  /// The page with its data.
  ///
  /// - Parameter messages: The names with their texts of JSON.
  /// - Returns: The text of the document.
  static func file(_ messages: [(name: String, text: String)]) -> String {
    let nonce = randomToken()
    let policy =
      "<meta http-equiv=\"Content-Security-Policy\" content=\"\(self.policy(nonce, server: false))\">"
    let lines = messages.map { "{\"name\":\(JSON.string($0.name).text),\"data\":\($0.text)}" }
    let data =
      "<script type=\"application/json\" id=\"data\">["
      + lines.joined(separator: ",\n") + "]</script>"
    return document(nonce, policy: policy, data: data)
  }

  /// The policy of a page: nothing but its own style and script, and nothing from elsewhere.
  static func policy(_ nonce: String, server: Bool) -> String {
    "default-src 'none'; base-uri 'none'; form-action 'none'; "
      + "style-src 'nonce-\(nonce)'; script-src 'nonce-\(nonce)'"
      + (server ? "; connect-src 'self'; frame-ancestors 'none'" : "")
  }

  /// Returns 128 random bits.
  static func randomToken() -> String {
    var generator = SystemRandomNumberGenerator()
    return (0..<2).map { _ in
      let digits = String(UInt64.random(in: 0...UInt64.max, using: &generator), radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }.joined()
  }

  private static func document(_ nonce: String, policy: String, data: String) -> String {
    var parts: [Substring] = []
    let lines = text(PackageResources.page_html)
      .split(separator: "\n", omittingEmptySubsequences: false)
    for line in lines {
      switch line {
      case "<!--POLICY-->": parts.append(policy[...])
      case "<!--STYLE-->": parts.append("<style nonce=\"\(nonce)\">\n\(style)\n</style>")
      case "<!--DATA-->": parts.append(data[...])
      case "<!--SCRIPT-->": parts.append("<script nonce=\"\(nonce)\">\n\(script)\n</script>")
      default: parts.append(line)
      }
    }
    return parts.joined(separator: "\n")
  }

  private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}
