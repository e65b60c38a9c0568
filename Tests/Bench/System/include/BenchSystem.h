// BenchSystem: a Linux call that Swift's Glibc module lacks and that only the benchmark needs.

#ifndef BENCH_SYSTEM_H
#define BENCH_SYSTEM_H

/// Makes this process the parent of descendants whose own parent ends. 0, or -errno.
int bench_adopt_orphans(void);

#endif
