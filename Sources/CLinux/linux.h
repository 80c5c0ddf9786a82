// System headers that the toolchain's Glibc module leaves out. Never define _GNU_SOURCE here: the layout of
// fd_set would then differ from the one in that module.
#pragma once
#include <malloc.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/uio.h>

extern int accept4(int, struct sockaddr *, socklen_t *, int);
extern int sync_file_range(int, long, long, unsigned int);
extern int pthread_setname_np(unsigned long, const char *);

#include <sys/syscall.h>
#include <unistd.h>

// A descriptor that becomes readable when the process ends (pidfd_open), or -1. syscall(2) is declared here,
// since unistd.h hides it without _GNU_SOURCE.
extern long syscall(long, ...);
static inline int hearth_open_process(int pid) {
    return (int)syscall(SYS_pidfd_open, pid, 0);
}
