public import CairnZone

/// Directories in which programs make and delete files by the thousand: what goes in them is no
/// accident of a person's, and can be made again. The deletion brake doesn't count it.
public enum Churn {
  /// Directories of which everything can be made again, whatever stands beside them.
  private static let always: Set<FileName> = names([
    "node_modules", "__pycache__", ".build", ".venv", ".cache", ".gradle", ".tox", ".mypy_cache",
    ".pytest_cache", ".ruff_cache", ".terraform",
  ])
  /// Directories of which everything can be made again if one of `recipes` stands beside them.
  private static let made: Set<FileName> = names(["build", "target", "dist", "out", "_build"])
  private static let recipes: Set<FileName> = names([
    "Makefile", "CMakeLists.txt", "meson.build", "package.json", "Cargo.toml", "pom.xml",
    "build.gradle", "build.gradle.kts", "Package.swift", "setup.py", "pyproject.toml", "go.mod",
    "dune-project", "stack.yaml", "conf.py",
  ])
  /// A repository: what goes in it was packed, as long as it stands itself.
  private static let repository: Set<FileName> = names([".git"])

  private static func names(_ texts: [String]) -> Set<FileName> {
    Set(texts.compactMap { FileName($0) })
  }

  /// The names that a directory has to have to be one of them; not each that has one is.
  public static var candidates: Set<FileName> { always.union(made).union(repository) }

  /// Whether a directory is one of them.
  /// - Parameters:
  ///   - name: its name.
  ///   - stands: whether it is in the folder still.
  ///   - hasBeside: whether a file of that name stands beside it.
  /// - Returns: whether what goes in it is no accident of a person's.
  /// - Throws: what `hasBeside` throws.
  public static func isChurn(
    _ name: FileName, stands: Bool, hasBeside: (FileName) throws -> Bool
  ) rethrows -> Bool {
    if always.contains(name) { return true }
    if repository.contains(name) { return stands }
    return try made.contains(name) && recipes.contains { try hasBeside($0) }
  }
}
