import Foundation

/// A script that starts a program with `libCairnFaults.so` (Tests/Faults) before it, which lets
/// some of its calls on what is below one folder fail.
public struct FaultyProgram {
  /// Which calls fail.
  public struct Fault: Sendable {
    /// The bit of `cairn_fault_kind`.
    private var kind: Int
    /// The first call that fails, from 1, and how many more do.
    private var first: Int
    private var more: Int
    private var errno: Int32

    /// Nothing can be opened, once.
    /// - Parameters:
    ///   - number: Which opening that is; the first is 1.
    ///   - errno: The error.
    /// - Returns: that.
    public static func opening(_ number: Int, errno: Int32 = EIO) -> Fault {
      Fault(kind: 256, first: number, more: 0, errno: errno)
    }

    /// There are watches for so many directories, and for no more.
    /// - Parameter count: How many.
    /// - Returns: that.
    public static func watches(_ count: Int) -> Fault {
      Fault(kind: 1024, first: count + 1, more: .max >> 1, errno: ENOSPC)
    }

    /// The numbers of `struct cairn_faults`, in their order.
    fileprivate var numbers: [Int] { [kind, first, Int(errno), 0, 0, 0, more] }
  }

  /// Where the script is.
  public let path: String
  private var page: URL { URL(fileURLWithPath: path + ".faults") }

  /// Writes the script.
  /// - Parameters:
  ///   - path: Where, without a quotation mark.
  ///   - program: The program's path.
  ///   - name: The program's name, which is what the library knows it by.
  ///   - fault: What fails.
  ///   - folder: Below which folder.
  /// - Throws: what keeps it from being written.
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

  /// From here on no call fails any more.
  /// - Throws: what keeps that from being told.
  public func heal() throws {
    let file = try FileHandle(forUpdating: page)
    try file.write(contentsOf: Data(count: 8))
    try file.close()
  }
}
