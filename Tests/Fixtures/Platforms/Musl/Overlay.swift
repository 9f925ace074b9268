// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// The part of the Swift overlay of musl that this package uses, for type checks on other systems.
// Signatures follow stdlib/public/Platform/Platform.swift of github.com/swiftlang/swift. Nothing here is
// ever called.

@_exported import Musl

public var errno: Int32 {
  get { 0 }
  set {}
}

public func open(_ path: UnsafePointer<CChar>, _ oflag: Int32) -> Int32 { -1 }
public func open(_ path: UnsafePointer<CChar>, _ oflag: Int32, _ mode: mode_t) -> Int32 { -1 }
public func fcntl(_ fd: Int32, _ cmd: Int32) -> Int32 { -1 }
public func fcntl(_ fd: Int32, _ cmd: Int32, _ value: Int32) -> Int32 { -1 }
public func ioctl(_ fd: CInt, _ request: UInt, _ value: CInt) -> CInt { -1 }
public func ioctl(_ fd: CInt, _ request: UInt, _ ptr: UnsafeMutableRawPointer) -> CInt { -1 }

public typealias sighandler_t = @convention(c) (Int32) -> Void
public var SIG_DFL: sighandler_t? { nil }
public var SIG_IGN: sighandler_t {
  unsafe unsafeBitCast(1, to: sighandler_t.self)  // Reason: as in the overlay; never called.
}
