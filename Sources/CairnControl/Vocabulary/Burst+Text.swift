extension Control.Burst {
  /// The alert as a part of a sentence.
  public var text: String {
    let device = Control.Path(device ?? String(id.prefix(12))).printable
    return Control.Path(author.handle ?? author.user).printable + " on \(device) changed "
      + "\(changed) and deleted \(deleted) of \(all) files"
  }

  /// The command that reverts the changes.
  public var rewind: String {
    "cairn rewind \(path.typed) --to @\(before) --device \(id.prefix(12))"
  }
}
