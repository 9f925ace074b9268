// The C library of the system, for this module and for the tests that import it.
#if canImport(Glibc)
@_exported import Glibc
#elseif canImport(Musl)
@_exported import Musl
#elseif canImport(Darwin)
@_exported import Darwin
#else
#error("Unknown C library: add it here.")
#endif
