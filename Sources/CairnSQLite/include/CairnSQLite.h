// SPDX-License-Identifier: Apache-2.0
//
// CairnSQLite: what Swift can't call of SQLite by itself, since it takes a varying number of
// arguments. No policy beyond that.

#ifndef CAIRN_SQLITE_H
#define CAIRN_SQLITE_H

/// Has SQLite keep no account of its memory. Each allocation takes a lock of the whole process for
/// it, and nobody asks. It has to be said before the first database is opened: SQLite refuses it
/// afterwards, and goes on as it was.
void cairn_sqlite_keep_no_account(void);

#endif
