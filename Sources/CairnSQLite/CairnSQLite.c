// SPDX-License-Identifier: Apache-2.0
#include "CairnSQLite.h"

#include <sqlite3.h>

void cairn_sqlite_keep_no_account(void) { (void)sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0); }
