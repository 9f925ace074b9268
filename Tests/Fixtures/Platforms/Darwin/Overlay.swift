// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// The part of the Swift overlay of Apple's C library that this package uses, for type checks on other
// systems. Signatures follow stdlib/public/Platform/Platform.swift and TiocConstants.swift of
// github.com/swiftlang/swift. Nothing here is ever called.

@_exported import Darwin

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
public var TIOCGWINSZ: UInt { 0x4008_7468 }
public var TIOCSWINSZ: UInt { 0x8008_7467 }

public var S_IFMT: mode_t { 0o170000 }
public var S_IFIFO: mode_t { 0o010000 }

public typealias sighandler_t = @convention(c) (Int32) -> Void
public var SIG_DFL: sighandler_t? { nil }
public var SIG_IGN: sighandler_t {
  unsafe unsafeBitCast(1, to: sighandler_t.self)  // Reason: as in the overlay; never called.
}

// <time.h>: an enumeration with the type `clockid_t`.
public struct clockid_t { let rawValue: UInt32 }
public var CLOCK_MONOTONIC: clockid_t { clockid_t(rawValue: 6) }
public var CLOCK_THREAD_CPUTIME_ID: clockid_t { clockid_t(rawValue: 16) }
@discardableResult
public func clock_gettime(_ clock: clockid_t, _ time: UnsafeMutablePointer<timespec>?) -> Int32 {
  -1
}

public var environ: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?> {
  .allocate(capacity: 1)
}
