// SPDX-License-Identifier: Apache-2.0
//
// CairnSQLite: what Swift can't call of SQLite by itself, since it takes a varying number of
// arguments, or goes through tables of functions. No policy beyond that.

#ifndef CAIRN_SQLITE_H
#define CAIRN_SQLITE_H

/// Has SQLite keep no account of its memory. Each allocation takes a lock of the whole process for
/// it, and nobody asks. It has to be said before the first database is opened: SQLite refuses it
/// afterwards, and goes on as it was.
void cairn_sqlite_keep_no_account(void);

/// Has SQLite refuse a string in double quotes, which it would otherwise accept in the place of a
/// column with a misspelt name. `connection` is a `sqlite3 *`.
void cairn_sqlite_refuse_quoted_strings(void *connection);

/// Reads a database's file and its log to their ends, through the descriptors that the connection
/// has: to open the file once more, and close it, would take the process's locks away. 0 if all of
/// it can be read, else the errno. `connection` is a `sqlite3 *`.
int cairn_sqlite_try_to_read(void *connection);

#endif
