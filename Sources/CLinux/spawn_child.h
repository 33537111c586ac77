#pragma once

#include <spawn.h>
#include <sys/types.h>

/* Starts a program in a process group of its own, with no signal blocked or handled and at ordinary priority, whoever
 * starts it. Lets go of the actions. Returns 0 or an errno. */
int mynah_spawn_child(char *const arguments[], posix_spawn_file_actions_t *actions, pid_t *process);
