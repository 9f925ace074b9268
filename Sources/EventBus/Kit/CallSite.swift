/// The line of a call of the library, as `#fileID` and `#line` describe it.
///
/// It refers to the text of a literal of the program. It is therefore cheap to pass, to store and to compare, and
/// becomes a ``SourceSite`` only in a report.
@safe @usableFromInline
package struct CallSite: @unchecked Sendable {  // Reason: refers to static text.
  @usableFromInline
  let file: UnsafePointer<UInt8>
  @usableFromInline
  let shortLine: UInt32

  /// Creates a call site.
  @inlinable
  package init(_ fileID: StaticString, _ line: UInt) {
    let known: StaticString = fileID.hasPointerRepresentation ? fileID : "?"
    unsafe file = known.utf8Start  // Reason: static text.
    shortLine = UInt32(clamping: line)
  }

  /// The line number, starting at 1.
  package var line: UInt { UInt(shortLine) }

  /// Returns whether both are the same line of a file, whose text is the same literal of the program.
  package func isSame(as other: CallSite) -> Bool {
    unsafe file == other.file && shortLine == other.shortLine  // Reason: compares addresses.
  }
}

extension SourceSite {
  /// Creates the source site of a call.
  package init(_ site: CallSite) {
    let fileID = unsafe String(cString: site.file)  // Reason: static text.
    self.init(fileID: fileID, line: site.line)
  }
}
