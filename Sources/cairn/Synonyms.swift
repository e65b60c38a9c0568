/// Everyday words for commands, and the commands that are never suggested for a mistyped word.
enum Synonyms {
  /// Returns the advice for a word in the place of a command.
  /// - Parameters:
  ///   - word: The word as it was typed.
  ///   - group: The command before it: `cairn`, or a group such as `cairn share`.
  /// - Returns: The advice; nil for other words.
  static func advice(for word: String, in group: String) -> String? {
    table[group]?.first { $0.words.contains(word.lowercased()) }?.advice
  }

  /// Returns whether a command takes something away, so that a similar word must not suggest it.
  static func isDestructive(_ command: String, in group: String) -> Bool {
    destructive.contains(command) || (command == "stop" && group == "cairn share")
  }

  private static let destructive: Set = [
    "remove", "purge", "delete", "forget", "clear", "revoke", "leave", "take-out", "rewind",
    "block", "transfer", "uninvite", "gc", "repair",
  ]

  private static let table: [String: [(words: Set<String>, advice: String)]] = [
    "cairn": [
      (
        ["revoke", "stolen", "lost", "theft"],
        "For a lost device: `cairn device revoke NAME`. To end a person's access: `cairn share "
          + "remove`."
      ),
      (
        ["unshare"],
        "`cairn share stop` ends a share of yours. `cairn share leave` leaves another person's."
      ),
      (["who", "activity", "blame"], "`cairn log` and `cairn history` show who did what."),
      (
        ["storage", "usage", "space", "du", "df", "free", "clean", "cleanup", "size"],
        "`cairn quota` shows where space goes, and what frees it."
      ),
      (
        ["undo", "undelete", "recover", "revert", "rollback"],
        "`cairn restore` restores a file or folder. `cairn rewind` reverts all changes since a "
          + "time."
      ),
      (["versions", "version-history"], "`cairn history FILE` lists the versions of a file."),
      (["people", "persons", "users", "friends", "contacts"], "Use `cairn user list`."),
      (["list", "dir", "files"], "Use `cairn ls`."),
      (
        ["info", "state"],
        "`cairn status` shows the state of your folders, `cairn stat FILE` that of a file."
      ),
      (
        ["sync", "push", "pull"],
        "Folders are synced by themselves. `cairn status` shows how far they are, and `cairn wait` "
          + "waits until they are up to date."
      ),
      (["version"], "Use `cairn --version`."),
      (["invite"], "Use `cairn share invite FOLDER HANDLE`."),
      (
        ["accept", "join"],
        "`cairn share accept` accepts an invitation. `cairn device join` adds a machine of yours."
      ),
      (["invitations"], "Use `cairn share invitations`."),
      (["devices", "machines"], "Use `cairn device list`."),
      (
        ["folders", "shares"], "`cairn status` lists your folders, `cairn share list` your shares."
      ),
      (["cat"], "`cairn show FILE` writes a version of a file."),
      (["mv", "rename"], "`cairn move` moves a mirrored folder."),
    ],
    "cairn share": [
      (["people", "members", "users", "who"], "Use `cairn share participants`."),
      (
        ["unshare", "end"],
        "`cairn share stop` ends a share of yours. `cairn share leave` leaves another person's."
      ),
      (["join"], "Use `cairn share accept`."),
      (["permission", "permissions", "access"], "Use `cairn share set-permission`."),
      (["ls"], "Use `cairn share list`."),
      (["info", "status"], "Use `cairn share show`."),
    ],
    "cairn device": [
      (["stolen", "lost"], "Use `cairn device revoke NAME`."),
      (["add"], "Run `cairn device link` here, and `cairn device join` on the new machine."),
      (["ls"], "Use `cairn device list`."),
    ],
    "cairn user": [(["ls"], "Use `cairn user list`.")],
    "cairn group": [(["ls"], "Use `cairn group list`.")],
  ]
}
