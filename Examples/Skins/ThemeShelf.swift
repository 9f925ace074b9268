import LaunchLoader
import Theming

/// The themes read from files at launch.
@MainActor
enum ThemeShelf {
  private(set) static var contents = ThemeFiles.Contents()

  /// Reads the files again and registers their themes.
  static func fill(from folder: String) {
    contents = ThemeFiles.read(folder)
    for theme in contents.themes { ThemeManager.skins.register(theme) }
  }
}

// This work depends on `palette`, which registers the skins that the files extend.
#if objectFormat(MachO)
@section("__DATA,__mod_init_func,mod_init_funcs") @used
#else
@section(".init_array") @used
#endif
private let entry: LaunchEntry = {
  LaunchLoader.register("theme files", after: ["palette"]) { @MainActor options in
    ThemeShelf.fill(from: options[ThemesFolder.self] ?? ThemeFiles.usualFolder)
    Diary.shared.note("theme files")
  }
}
