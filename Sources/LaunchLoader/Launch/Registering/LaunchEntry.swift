/// A function that the operating system's loader calls before `main`.
///
/// Put the constant into the section of constructors, in the file of its feature. The feature then
/// needs no entry in any list:
///
/// ```swift
/// #if objectFormat(MachO)
/// @section("__DATA,__mod_init_func,mod_init_funcs") @used
/// #else
/// @section(".init_array") @used
/// #endif
/// private let entry: LaunchEntry = {
///   LaunchLoader.register("analytics") { options in print("analytics: \(options.arguments)") }
/// }
/// ```
///
/// Before `main` there are no tasks, no command-line arguments and no reliable clocks: only register,
/// and leave everything else to the worker. The linker determines the order in which the entries of
/// different files are called.
public typealias LaunchEntry = @convention(c) () -> Void
