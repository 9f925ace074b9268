import Terminal
import Testing

@Suite("Key decoder")
struct KeyDecoderTests {
  /// The typed bytes and the keys decoded from them.
  static let samples: [(typed: String, read: [Input])] = [
    ("q", [.key(.character("q"))]),
    ("1aé世", ["1", "a", "é", "世"].map { .key(.character($0)) }),
    ("🌫", [.key(.character("🌫"))]),
    ("\r\n\t\u{7f}\u{8}", [.enter, .enter, .tab, .backspace, .backspace].map { .key($0) }),
    ("\u{1b}[A\u{1b}[B\u{1b}[C\u{1b}[D", [.up, .down, .right, .left].map { .key($0) }),
    ("\u{1b}OA\u{1b}[1;5Dx", [.key(.up), .key(.left), .key(.character("x"))]),
    ("\u{1b}[15~\u{1b}[3;2~\u{1b}[[An", [.key(.character("n"))]),
    ("\u{1b}OPn", [.key(.character("n"))]),
    ("\u{1b}n", [.key(.escape), .key(.character("n"))]),
    ("\u{1b}]n", [.key(.escape), .key(.character("]")), .key(.character("n"))]),
    ("\u{1}\u{0}\u{1c}n", [.key(.character("n"))]),
    ("\u{1b}[200~qqq\u{1b}[20\u{1b}[A\u{1b}\u{1b}[201~n", [.key(.character("n"))]),
    ("\u{1b}P1$r0m\u{1b}\\n\u{1b}_junk\u{7}d", [.key(.character("n")), .key(.character("d"))]),
    ("\u{1b}]4;1;rgb:00/00/00\u{7}n", [.key(.character("n"))]),
    ("\u{1b}]11;rgb:0000/8080/ffff\u{1b}[Bn", [.key(.down), .key(.character("n"))]),
    (
      "a\u{1b}]11;rgb:0000/8080/ffff\u{7}b",
      [
        .key(.character("a")), .background(Color(red: 0, green: 128, blue: 255)),
        .key(.character("b")),
      ]
    ),
    ("\u{1b}[12\rn", [.key(.enter), .key(.character("n"))]),
    (
      "\u{1b}[<0;1;1M\u{1b}[<0;1;1m\u{1b}[<0;120;33M",
      [.mouse(.press(column: 0, row: 0)), .mouse(.press(column: 119, row: 32))]
    ),
    (
      "\u{1b}[<64;3;4M\u{1b}[<65;3;4Mn",
      [.mouse(.wheelUp), .mouse(.wheelDown), .key(.character("n"))]
    ),
    // Other buttons, modifiers, motion, and reports that are none.
    (
      "\u{1b}[<2;1;1M\u{1b}[<16;1;1M\u{1b}[<35;1;1M\u{1b}[<0;0;1M\u{1b}[<0;1M\u{1b}[<;;Mn",
      [.key(.character("n"))]
    ),
    ("\u{1b}[M qqn\u{1b}[M!dd", [.key(.character("n"))]),
    ("\u{1b}[<0;99999999999999999999;1Mn", [.key(.character("n"))]),
  ]

  @Test("Typed keys are decoded as a whole or byte by byte", arguments: 0..<samples.count)
  func table(_ index: Int) {
    let (typed, read) = Self.samples[index]
    var decoder = KeyDecoder()
    #expect(decoder.feed(typed.utf8) == read)
    #expect(decoder.patience == nil)
    #expect(typed.utf8.flatMap { decoder.feed([$0]) } == read)
    #expect(decoder.patience == nil)
  }

  @Test("Typed keys are decoded in any two pieces", arguments: 0..<samples.count)
  func pieces(_ index: Int) {
    let (typed, read) = Self.samples[index]
    let bytes = Array(typed.utf8)
    for cut in 0...bytes.count {
      var decoder = KeyDecoder()
      #expect(decoder.feed(bytes[..<cut]) + decoder.feed(bytes[cut...]) == read, "\(cut)")
    }
  }

  @Test("Bytes that are not UTF-8 are skipped, and the next key is decoded")
  func junk() {
    let junk: [[UInt8]] = [
      [0xff], [0xc0, 0x80], [0x80, 0xbf], [0xe2, 0x82], [0xf0, 0x9f], [0xed, 0xa0, 0x80], [0xc3],
      [0xf5, 0x80], [0xf4, 0xbf, 0xbf, 0xbf],
    ]
    for bytes in junk {
      var decoder = KeyDecoder()
      #expect(decoder.feed(bytes + Array("n".utf8)) == [.key(.character("n"))], "\(bytes)")
    }
  }

  @Test("A lone escape is a key once no byte has followed for a moment")
  func escape() {
    var decoder = KeyDecoder()
    #expect(decoder.feed([0x1b]) == [])
    #expect(decoder.patience == 50)
    #expect(decoder.giveUp() == [.key(.escape)])
    #expect(decoder.patience == nil)
    #expect(decoder.feed("n".utf8) == [.key(.character("n"))])
    #expect(decoder.feed("\u{1b}\u{1b}".utf8) == [.key(.escape)])
    #expect(decoder.giveUp() == [.key(.escape)])
  }

  @Test(
    "An incomplete sequence ends after a while and yields no key",
    arguments: ["\u{1b}[", "\u{1b}[12;", "\u{1b}O", "\u{1b}]11;rgb:", "\u{1b}Pxx", "\u{1b}[200~xx"]
  )
  func givingUp(_ typed: String) {
    var decoder = KeyDecoder()
    #expect(decoder.feed(typed.utf8) == [])
    #expect(decoder.patience == 500)
    #expect(decoder.giveUp() == [])
    #expect(decoder.feed("n".utf8) == [.key(.character("n"))])
  }

  @Test("An endless sequence uses bounded memory")
  func endless() {
    for begin in ["\u{1b}[", "\u{1b}]11;rgb:"] {
      var decoder = KeyDecoder()
      _ = decoder.feed(begin.utf8)
      #expect(decoder.feed(Array(repeating: UInt8(ascii: "0"), count: 100_000)) == [])
      #expect(decoder.giveUp() == [])
      #expect(decoder.feed("n".utf8) == [.key(.character("n"))])
    }
  }
}
