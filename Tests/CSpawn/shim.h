// What glibc 2.34 and later have in spawn.h under _GNU_SOURCE only, and Swift's view of it therefore lacks.

#ifndef CSPAWN_SHIM_H
#define CSPAWN_SHIM_H

#include <spawn.h>

/// Closes all descriptors from this one on in the child.
extern int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions, int from);

#endif
