/// A function that the operating system's loader calls before `main`.
///
/// Put one into the section of constructors, in the file of the feature that it belongs to, and nobody
/// has to list the feature anywhere:
///
/// ```swift
/// @section(".init_array") @used  // Mach-O: "__DATA,__mod_init_func,mod_init_funcs"
/// private let entry: LaunchEntry = {
///   LaunchLoader.register("analytics") { options in Analytics.start(options) }
/// }
/// ```
///
/// Before `main` there are no tasks, no command-line arguments and no clocks to rely on: register, and
/// leave the rest to the worker. The order in which the entries of different files are called is up to
/// the linker.
public typealias LaunchEntry = @convention(c) () -> Void
