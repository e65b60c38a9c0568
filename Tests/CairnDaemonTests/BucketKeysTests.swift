import CairnControl
import CairnStore
import Foundation
import Testing

@testable import CairnDaemon

/// The sources of a bucket's key.
struct BucketKeysTests {
  /// A folder with files, which is removed with the value.
  private final class Files {
    let path = NSTemporaryDirectory() + "cairn-keys-\(UUID())"

    init() throws {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    // The folder is in the temporary folder.
    deinit { try? FileManager.default.removeItem(atPath: path) }

    func write(_ text: String, _ name: String, mode: mode_t = 0o600) throws -> String {
      try Data(text.utf8).write(to: URL(filePath: "\(path)/\(name)"))
      chmod("\(path)/\(name)", mode)
      return "\(path)/\(name)"
    }
  }

  private let text = """
    # mine
    [default]
    aws_access_key_id = ONE
    aws_secret_access_key=secret one

    [ other ]
    aws_access_key_id = NOBODY
    [other]
    ; two
    aws_access_key_id = TWO
    aws_secret_access_key = secret = two
    aws_session_token = token
    """

  private func key(
    _ bucket: Control.Bucket, _ environment: [String: String] = [:]
  ) throws -> S3Credentials { try BucketKeys.credentials(bucket, environment) }

  @Test func `a file has one key for each profile`() throws {
    let files = try Files()
    let file = try files.write(text, "keys")
    let one = try key(Control.Bucket(credentialsFile: file))
    #expect(one == S3Credentials(id: "ONE", secret: "secret one"))
    let two = try key(Control.Bucket(credentialsFile: file, profile: "other"))
    #expect(two == S3Credentials(id: "TWO", secret: "secret = two", token: "token"))
    #expect(try key(Control.Bucket(credentialsFile: file), ["AWS_PROFILE": "other"]) == two)
    let none = #expect(throws: StoreError.self) {
      try key(Control.Bucket(credentialsFile: file, profile: "third"))
    }
    #expect(none?.code == .denied && none?.cause.contains("[third]") == true)
  }

  @Test func `a file that others can read is refused`() throws {
    let files = try Files()
    for mode in [0o640, 0o604, 0o620] as [mode_t] {
      let file = try files.write(text, "keys", mode: mode)
      let error = #expect(throws: StoreError.self) {
        try key(Control.Bucket(credentialsFile: file))
      }
      #expect(error?.cause.contains("chmod 600") == true)
    }
    #expect(throws: StoreError.self) {
      try key(Control.Bucket(credentialsFile: files.path + "/nothing"))
    }
  }

  @Test func `the environment counts if no file and no profile is named`() throws {
    let files = try Files()
    let usual = try files.write(text, "usual", mode: 0o644)
    let set = ["AWS_ACCESS_KEY_ID": "ENV", "AWS_SECRET_ACCESS_KEY": "s", "AWS_SESSION_TOKEN": "t"]
    let shared = ["AWS_SHARED_CREDENTIALS_FILE": usual]
    #expect(try key(Control.Bucket(), set) == S3Credentials(id: "ENV", secret: "s", token: "t"))
    #expect(try key(Control.Bucket(), shared).id == "ONE")
    let both = set.merging(shared) { $1 }
    #expect(try key(Control.Bucket(profile: "other"), both).id == "TWO")
    #expect(try key(Control.Bucket(credentialsFile: files.write(text, "own")), both).id == "ONE")
    #expect(throws: StoreError.self) { try key(Control.Bucket(), ["HOME": files.path]) }
  }

  @Test func `a command prints a key, and its end of validity`() throws {
    let files = try Files()
    let json = """
      {"Version": 1, "AccessKeyId": "LENT", "SecretAccessKey": "s", "SessionToken": "t",
       "Expiration": "2030-01-01T00:00:00Z"}
      """
    let file = try files.write(json, "json")
    let lent = try key(Control.Bucket(credentialProcess: "cat '\(file)'"))
    #expect(
      lent == S3Credentials(id: "LENT", secret: "s", token: "t", expires: 1_893_456_000))
    let profile = try files.write("[default]\ncredential_process = cat '\(file)'\n", "keys")
    #expect(try key(Control.Bucket(credentialsFile: profile)) == lent)
    for command in ["exit 1", "echo nothing", "cat '\(file)'; exit 3"] {
      let error = #expect(throws: StoreError.self) {
        try key(Control.Bucket(credentialProcess: command))
      }
      #expect(error?.code == .denied && error?.cause.contains("credential-process") == true)
    }
  }

  @Test func `an invalid region or style is reported`() throws {
    _ = try BucketKeys.settings(Control.Bucket(region: "eu-central-1", style: "virtual"))
    for bucket in [
      Control.Bucket(style: "other"), Control.Bucket(region: ""), Control.Bucket(region: "a b"),
      Control.Bucket(region: "a/b"),
    ] {
      let error = #expect(throws: ControlError.self) { try BucketKeys.settings(bucket) }
      #expect(error?.code == .invalidArguments)
    }
  }

  @Test func `a configuration keeps the place of the key, and never the key`() throws {
    let bucket = Control.Bucket(
      region: "eu-central-1", style: "path", credentialsFile: "/keys", profile: "cairn",
      credentialProcess: "pass show cairn")
    let location = try #require(StoreLocation("s3:https://s3.example.org/cloud/team"))
    let configuration = Configuration(
      location: location, containerID: "00", fileSystem: "s3", notifies: false, pollSeconds: 5,
      deviceName: "desk", bucket: bucket)
    let text = configuration.text
    #expect(try Configuration(text, from: "f") == configuration)
    #expect(try Configuration.keysWithoutEffect(in: text).isEmpty)
    let wrong = text.replacing("s3:https://s3.example.org/cloud/team", with: "s3:nowhere")
    let error = #expect(throws: ControlError.self) { try Configuration(wrong, from: "f") }
    #expect(error?.message.contains("not the address of a container") == true)
  }
}
