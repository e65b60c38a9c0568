import CairnIdentity
import CairnZone
import Glibc
import Testing

/// The account file: it keeps the keys, and hides them from others.
struct TrustAccountTests {
  private func inFolder(_ body: (String) throws -> Void) throws {
    var template = Array("/tmp/cairn-account-XXXXXX".utf8CString)
    let made = mkdtemp(&template)
    try #require(made != nil)
    let folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    defer {
      unlink(folder + "/account")
      unlink(folder + "/link")
      rmdir(folder)
    }
    try body(folder)
  }

  @Test func `a stored account is loaded, and nothing else is left in the folder`() throws {
    try inFolder { folder in
      let (account, person) = try Sample.account("ana")
      try account.store(folder + "/account")
      try account.store(folder + "/account")
      let loaded = try Account.load(folder + "/account")
      #expect(loaded.author == account.author)
      #expect(loaded.origin == account.origin)
      #expect(loaded.encryptionKey == person.encryptionKey)
      var status = stat()
      #expect(stat(folder + "/account", &status) == 0)
      #expect(status.st_mode & 0o7777 == 0o600)
      unlink(folder + "/account")
      #expect(rmdir(folder) == 0, "temporary files are left")
    }
  }

  @Test(arguments: [0o640, 0o604, 0o620, 0o666] as [mode_t])
  func `a file that others may use is refused`(mode: mode_t) throws {
    try inFolder { folder in
      let path = folder + "/account"
      try Sample.account("ana").account.store(path)
      chmod(path, mode)
      #expect(throws: Account.FileFailure.exposed(path: path, mode: mode)) {
        try Account.load(path)
      }
    }
  }

  @Test func `a symlink, a missing file and a damaged file are refused`() throws {
    try inFolder { folder in
      let path = folder + "/account"
      #expect(throws: Account.FileFailure.self) { try Account.load(path) }
      try Sample.account("ana").account.store(path)
      symlink(path, folder + "/link")
      #expect(throws: Account.FileFailure.self) { try Account.load(folder + "/link") }
      #expect(truncate(path, 100) == 0)
      #expect(throws: Account.FileFailure.self) { try Account.load(path) }
    }
  }

  @Test func `secrets appear nowhere`() throws {
    let secret = try #require(SecretBytes([UInt8](repeating: 0xAB, count: 32)))
    var shown = "\(secret) \(String(reflecting: secret)) \([secret])"
    dump(secret, to: &shown)
    #expect(!shown.contains("171"))
    #expect(!shown.lowercased().contains("abab"))
    #expect(SecretBytes([1, 2]) == nil)
    #expect(SecretBytes.random() != SecretBytes.random())
  }
}
