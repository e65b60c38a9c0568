extension Control {
  /// Returns the error for a container that the home doesn't have.
  public static func unknownContainer(_ name: String) -> ControlError {
    ControlError(
      .unknownItem, "This home has no container called \(Path(name)).",
      remedy: "`cairn container list` lists its containers.")
  }

  /// Returns the error for a request that could be about the containers with these names.
  public static func ambiguousContainer(_ names: [String]) -> ControlError {
    let list = names.dropLast().joined(separator: ", ") + " and " + (names.last ?? "")
    return ControlError(
      .ambiguousContainer, "This could be about each of the containers \(list).",
      remedy: "Name one of them: `cairn --container \(names.first ?? "NAME") …`.")
  }
}
