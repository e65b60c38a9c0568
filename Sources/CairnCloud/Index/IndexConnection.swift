public import CairnZone
import GRDB

/// A connection to an index file. The name `Database` means CloudKit's databases here.
typealias IndexConnection = GRDB.Database

/// The zone's records, not GRDB's.
public typealias Record = CairnZone.Record
