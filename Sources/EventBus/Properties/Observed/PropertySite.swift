/// The source site of a property or of a call, for messages.
///
/// Unlike ``SourceSite`` it copies no string.
@usableFromInline
typealias PropertySite = (fileID: StaticString, line: UInt)
