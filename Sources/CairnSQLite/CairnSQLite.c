// SPDX-License-Identifier: Apache-2.0
#include "CairnSQLite.h"

#include <errno.h>
#include <sqlite3.h>
#include <stdlib.h>

void cairn_sqlite_keep_no_account(void) { (void)sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0); }

void cairn_sqlite_refuse_quoted_strings(void *connection) {
  (void)sqlite3_db_config(connection, SQLITE_DBCONFIG_DQS_DDL, 0, (int *)NULL);
  (void)sqlite3_db_config(connection, SQLITE_DBCONFIG_DQS_DML, 0, (int *)NULL);
}

/// Reads one file to its end.
static int try_to_read(sqlite3 *connection, int which) {
  enum { part = 1 << 16 };
  sqlite3_file *file = NULL;
  if (sqlite3_file_control(connection, "main", which, &file) || !file || !file->pMethods) return 0;
  sqlite3_int64 size = 0;
  char *buffer = malloc(part);
  if (!buffer) return ENOMEM;
  int result = file->pMethods->xFileSize(file, &size);
  // The first part also if there is nothing: a disk that fails may say that of any file.
  for (sqlite3_int64 start = 0; result == SQLITE_OK && start <= size; start += part) {
    result = file->pMethods->xRead(file, buffer, part, start);
    if (result == SQLITE_IOERR_SHORT_READ) result = SQLITE_OK;
  }
  int number = EIO;
  if (result != SQLITE_OK) {
    // An errno that SQLite keeps for its file; an error without one is what it takes EIO for.
    int told = 0;
    (void)file->pMethods->xFileControl(file, SQLITE_FCNTL_LAST_ERRNO, &told);
    if (told) number = told;
  }
  free(buffer);
  return result == SQLITE_OK ? 0 : number;
}

int cairn_sqlite_try_to_read(void *connection) {
  int number = try_to_read(connection, SQLITE_FCNTL_FILE_POINTER);
  return number ? number : try_to_read(connection, SQLITE_FCNTL_JOURNAL_POINTER);
}
