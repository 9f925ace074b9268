// The part of the C library musl that this package uses, for type checks on other systems.
//
// Declarations, types and constants follow the headers of musl 1.2 for x86-64 (git.musl-libc.org); each
// group names its header. Nothing here is ever linked.

#pragma once

// <bits/alltypes.h>
typedef __SIZE_TYPE__ size_t;
typedef __PTRDIFF_TYPE__ ssize_t;
typedef int pid_t;
typedef unsigned mode_t;
typedef unsigned uid_t;
typedef long time_t;
typedef int clockid_t;
typedef unsigned socklen_t;
typedef unsigned short sa_family_t;
typedef unsigned long ino_t;
typedef unsigned long dev_t;
typedef unsigned long nlink_t;
struct timespec {
  time_t tv_sec;
  long tv_nsec;
};
typedef struct __pthread *pthread_t;
typedef struct {
  union {
    int __i[14];
    unsigned long __s[7];
  } __u;
} pthread_attr_t;
typedef struct {
  union {
    int __i[10];
    void *__p[5];
  } __u;
} pthread_mutex_t;
typedef struct {
  unsigned __attr;
} pthread_mutexattr_t;
typedef struct __sigset_t {
  unsigned long __bits[16];
} sigset_t;

// <errno.h>; `errno` is in the overlay
#define EINTR 4
#define EBADF 9
#define EAGAIN 11

// <signal.h>, <bits/signal.h>
typedef struct {
  int si_signo, si_errno, si_code;
  char __fields[116];
} siginfo_t;
struct sigaction {
  union {
    void (*sa_handler)(int);
    void (*sa_sigaction)(int, siginfo_t *, void *);
  } __sa_handler;
  sigset_t sa_mask;
  int sa_flags;
  void (*sa_restorer)(void);
};
#define SA_SIGINFO 4
#define SA_ONSTACK 0x08000000
#define SA_RESTART 0x10000000
#define SIG_BLOCK 0
#define SIG_UNBLOCK 1
#define SIG_SETMASK 2
#define SIGHUP 1
#define SIGINT 2
#define SIGQUIT 3
#define SIGILL 4
#define SIGTRAP 5
#define SIGABRT 6
#define SIGBUS 7
#define SIGFPE 8
#define SIGKILL 9
#define SIGUSR1 10
#define SIGSEGV 11
#define SIGUSR2 12
#define SIGPIPE 13
#define SIGALRM 14
#define SIGTERM 15
#define SIGSTKFLT 16
#define SIGCHLD 17
#define SIGCONT 18
#define SIGSTOP 19
#define SIGTSTP 20
#define SIGTTIN 21
#define SIGTTOU 22
#define SIGURG 23
#define SIGXCPU 24
#define SIGXFSZ 25
#define SIGVTALRM 26
#define SIGPROF 27
#define SIGWINCH 28
#define SIGIO 29
#define SIGPWR 30
#define SIGSYS 31
int __libc_current_sigrtmin(void);
int sigaction(int, const struct sigaction *restrict, struct sigaction *restrict);
int sigemptyset(sigset_t *);
int sigfillset(sigset_t *);
int sigaddset(sigset_t *, int);
int sigdelset(sigset_t *, int);
int raise(int);
int kill(pid_t, int);

// <pthread.h>, <sched.h>
pthread_t pthread_self(void);
int pthread_getcpuclockid(pthread_t, clockid_t *);
int pthread_create(pthread_t *restrict, const pthread_attr_t *restrict, void *(*)(void *), void *restrict);
int pthread_detach(pthread_t);
int pthread_sigmask(int, const sigset_t *restrict, sigset_t *restrict);
int pthread_mutex_init(pthread_mutex_t *restrict, const pthread_mutexattr_t *restrict);
int pthread_mutex_destroy(pthread_mutex_t *);
int pthread_mutex_lock(pthread_mutex_t *);
int pthread_mutex_unlock(pthread_mutex_t *);
int sched_yield(void);

// <unistd.h>, <stdlib.h>
extern char **environ;
pid_t getppid(void);
pid_t getpid(void);
int isatty(int);
int close(int);
int pipe(int[2]);
ssize_t read(int, void *, size_t);
ssize_t write(int, const void *, size_t);
_Noreturn void _exit(int);
_Noreturn void exit(int);
int atexit(void (*)(void));

// <time.h>
#define CLOCK_MONOTONIC 1
int clock_gettime(clockid_t, struct timespec *);

// <fcntl.h>, <bits/fcntl.h>; `open` and `fcntl` are in the overlay
#define O_RDONLY 00
#define O_WRONLY 01
#define O_CREAT 0100
#define O_NOCTTY 0400
#define O_TRUNC 01000
#define O_NONBLOCK 04000
#define O_CLOEXEC 02000000
#define F_DUPFD 0
#define F_SETFD 2
#define F_SETFL 4
#define FD_CLOEXEC 1

// <bits/stat.h>
struct stat {
  dev_t st_dev;
  ino_t st_ino;
  nlink_t st_nlink;
  mode_t st_mode;
  long __rest[16];
};
int fstat(int, struct stat *);

// <sys/socket.h>, <sys/un.h>
#define AF_UNIX 1
#define SOCK_DGRAM 2
#define SOCK_CLOEXEC 02000000
#define MSG_DONTWAIT 0x0040
#define MSG_NOSIGNAL 0x4000
struct sockaddr {
  sa_family_t sa_family;
  char sa_data[14];
};
struct sockaddr_un {
  sa_family_t sun_family;
  char sun_path[108];
};
int socket(int, int, int);
ssize_t sendto(int, const void *, size_t, int, const struct sockaddr *, socklen_t);

// <poll.h>
struct pollfd {
  int fd;
  short events;
  short revents;
};
typedef unsigned long nfds_t;
#define POLLIN 0x001
#define POLLOUT 0x004
int poll(struct pollfd *, nfds_t, int);

// <termios.h>, <bits/termios.h>, <sys/ioctl.h>
typedef unsigned char cc_t;
typedef unsigned int speed_t;
typedef unsigned int tcflag_t;
struct termios {
  tcflag_t c_iflag;
  tcflag_t c_oflag;
  tcflag_t c_cflag;
  tcflag_t c_lflag;
  cc_t c_line;
  cc_t c_cc[32];
  speed_t __c_ispeed;
  speed_t __c_ospeed;
};
struct winsize {
  unsigned short ws_row;
  unsigned short ws_col;
  unsigned short ws_xpixel;
  unsigned short ws_ypixel;
};
#define TIOCGWINSZ 0x5413
#define VTIME 5
#define VMIN 6
#define TCSANOW 0
#define PARMRK 0000010
#define ISTRIP 0000040
#define INLCR 0000100
#define IGNCR 0000200
#define ICRNL 0000400
#define IXON 0002000
#define ISIG 0000001
#define ICANON 0000002
#define ECHO 0000010
#define ECHONL 0000100
#define IEXTEN 0100000
int tcgetattr(int, struct termios *);
int tcsetattr(int, int, const struct termios *);

// <dlfcn.h>
void *dlsym(void *restrict, const char *restrict);
