import Foundation

/// A script that starts a program with `libCairnFaults.so` (Tests/Faults). The library lets some of
/// the program's calls below one folder fail.
public struct FaultyProgram {
  /// The calls that fail.
  public struct Fault: Sendable {
    /// The bit of `cairn_fault_kind`.
    private var kind: Int
    /// The first call that fails, from 1, and the number of further ones.
    private var first: Int
    private var more: Int
    private var errno: Int32

    /// One opening of a file fails.
    /// - Parameters:
    ///   - number: The number of the opening. The first is 1.
    ///   - errno: The error.
    /// - Returns: The fault.
    public static func opening(_ number: Int, errno: Int32 = EIO) -> Fault {
      Fault(kind: 256, first: number, more: 0, errno: errno)
    }

    /// There is a limited number of watches for directories.
    /// - Parameter count: The number of watches.
    /// - Returns: The fault.
    public static func watches(_ count: Int) -> Fault {
      Fault(kind: 1024, first: count + 1, more: .max >> 1, errno: ENOSPC)
    }

    /// The numbers of `struct cairn_faults`, in their order.
    fileprivate var numbers: [Int] { [kind, first, Int(errno), 0, 0, 0, more] }
  }

  /// The path of the script.
  public let path: String
  private var page: URL { URL(fileURLWithPath: path + ".faults") }

  /// Writes the script.
  /// - Parameters:
  ///   - path: The path of the script, without a quotation mark.
  ///   - program: The program's path.
  ///   - name: The program's name, which the library uses to recognize it.
  ///   - fault: The calls that fail.
  ///   - folder: The folder of the affected files.
  /// - Throws: The error of writing it.
  public init(
    at path: String, for program: String, named name: String, _ fault: Fault, below folder: String
  ) throws {
    self.path = path
    guard let library = builtProgram("libCairnFaults.so") else { throw CocoaError(.fileNoSuchFile) }
    var bytes = Data(count: 4096)
    for (place, number) in fault.numbers.enumerated() {
      withUnsafeBytes(of: number) { bytes.replaceSubrange(place * 8..<place * 8 + 8, with: $0) }
    }
    let below = Array((folder + "/").utf8)
    bytes.replaceSubrange(2048..<2048 + below.count, with: below)
    try bytes.write(to: page)
    let text = """
      #!/bin/sh
      export LD_PRELOAD='\(library)' CAIRN_FAULTS='\(path).faults' CAIRN_FAULTS_IN='\(name)'
      exec '\(program)'

      """
    try installScript(text, at: path)
  }

  /// Lets no call fail from now on.
  /// - Throws: The error of writing the file that controls the faults.
  public func heal() throws {
    let file = try FileHandle(forUpdating: page)
    try file.write(contentsOf: Data(count: 8))
    try file.close()
  }
}
