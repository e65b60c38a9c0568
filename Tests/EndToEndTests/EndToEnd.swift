import Testing

/// The whole product, as people use it: real programs, folders and containers. Each test has two
/// daemons and a directory of its own.
@Suite(.onTestThreads) enum EndToEnd {}
