// SPDX-License-Identifier: Apache-2.0
//
// CairnConsolePage: the files of Sources/CairnConsole/Page as bytes of the program. In C, because a
// literal of so many bytes takes the Swift compiler 15 seconds.

#ifndef CAIRN_CONSOLE_PAGE_H
#define CAIRN_CONSOLE_PAGE_H

#include <stddef.h>

/// A file of the page.
typedef struct {
  const char *name;
  const unsigned char *bytes;
  size_t size;
} cairn_page_file;

/// All files, and how many they are.
const cairn_page_file *cairn_page_files(size_t *count);

#endif
