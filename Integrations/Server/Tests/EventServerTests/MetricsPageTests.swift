internal import CoreMetrics
@testable internal import EventServer
internal import Testing

@Suite("The page of the metrics")
struct MetricsPageTests {
  @Test(
    "Every label is one line, and its quotation marks and backslashes are escaped",
    arguments: [
      ("a\nb", #"a\nb"#), ("a\r\nb", "a\r\\nb"), ("\r\n\r\n", "\r\\n\r\\n"), ("a\rb", "a\rb"),
      (#"say "yes""#, #"say \"yes\""#), (#"C:\new"#, #"C:\\new"#),
      // A letter that combines with the character before it.
      ("\"\u{301}", "\\\"\u{301}"), ("\\\u{301}", "\\\\\u{301}"), ("\n\u{301}", "\\n\u{301}"),
      ("ü🙂", "ü🙂"), ("", ""),
    ]
  )
  func labels(_ label: String, _ escaped: String) {
    let page = MetricsPage()
    Counter(label: "a.b", dimensions: [("event", label)], factory: page).increment()
    #expect(
      Array(page.text.utf8) == Array("# TYPE a_b counter\na_b{event=\"\(escaped)\"} 1\n".utf8)
    )
  }
}
