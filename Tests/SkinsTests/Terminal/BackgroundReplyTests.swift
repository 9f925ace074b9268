import Terminal
import Testing

@Suite("Reply to the background query")
struct BackgroundReplyTests {
  @Test(
    "A channel has one to four digits",
    arguments: [
      ("11;rgb:1e1e/2a2a/3b3b", 0x1e, 0x2a, 0x3b), ("11;rgb:1e/2a/3b", 0x1e, 0x2a, 0x3b),
      ("11;rgb:0/8/f", 0, 0x88, 0xff), ("11;rgb:000/800/fff", 0, 128, 255),
      ("11;rgb:FFFF/8000/0000", 255, 128, 0), ("11;rgba:ffff/0000/0000/8000", 255, 0, 0),
      ("11;rgb:f/ff/ffff", 255, 255, 255),
    ]
  )
  func digits(_ text: String, _ red: Int, _ green: Int, _ blue: Int) {
    let color = Color(red: UInt8(red), green: UInt8(green), blue: UInt8(blue))
    #expect(BackgroundReply.color(in: Array(text.utf8)) == color)
  }

  @Test(
    "An invalid reply is not recognized",
    arguments: [
      "", "11;", "11;rgb:", "11;rgb:1/2", "11;rgb:1/2/3/4", "11;rgb:12345/1/1", "11;rgb:1//1",
      "11;rgb:g/1/1", "11;rgb:-1/1/1", "11;rgb:+1/1/1", "10;rgb:1/1/1", "11;?", "11;rgba:1/1/1",
      "11;#ffffff", "11;rgb: 1/1/1",
    ]
  )
  func none(_ text: String) {
    #expect(BackgroundReply.color(in: Array(text.utf8)) == nil)
  }

  @Test(
    "A reply is recognized in any three pieces, among keys that are not lost",
    arguments: ["\u{7}", "\u{1b}\\"]
  )
  func pieces(_ end: String) {
    let bytes = Array("n\u{1b}]11;rgb:1e1e/2a2a/3b3b\(end)d".utf8)
    let expected: [Input] = [
      .key(.character("n")), .background(Color(red: 0x1e, green: 0x2a, blue: 0x3b)),
      .key(.character("d")),
    ]
    for first in 0...bytes.count {
      for second in first...bytes.count {
        var decoder = KeyDecoder()
        let read =
          decoder.feed(bytes[..<first]) + decoder.feed(bytes[first..<second])
          + decoder.feed(bytes[second...])
        #expect(read == expected, "\(first), \(second)")
      }
    }
  }

  @Test("A background counts as light by its perceived luminance")
  func light() {
    #expect(Color(red: 255, green: 255, blue: 255).isLight)
    #expect(Color(red: 0xfd, green: 0xf6, blue: 0xe3).isLight)
    #expect(Color(red: 0, green: 255, blue: 0).isLight)
    #expect(!Color(red: 0, green: 0, blue: 255).isLight)
    #expect(!Color(red: 0, green: 0x2b, blue: 0x36).isLight)
    #expect(!Color(red: 0, green: 0, blue: 0).isLight)
  }
}
