// The part of Apple's C library that this package uses, for type checks on other systems.
//
// Declarations, types, nullability and constants follow the headers of xnu and Libc as published at
// github.com/apple-oss-distributions; each group names its header. Nothing here is ever linked.

#pragma once

#pragma clang assume_nonnull begin

// <sys/_types.h>, <sys/types.h>
typedef __SIZE_TYPE__ size_t;
typedef __PTRDIFF_TYPE__ ssize_t;
typedef int pid_t;
typedef unsigned short mode_t;
typedef unsigned int uid_t;
typedef long time_t;
typedef unsigned int socklen_t;
typedef unsigned char sa_family_t;
typedef unsigned long long ino_t;
typedef long long off_t;

// <sys/errno.h>; `errno` is in the overlay
#define ESRCH 3
#define EINTR 4
#define EBADF 9
#define EAGAIN 35
#define ETIMEDOUT 60

// <sys/signal.h>, <signal.h>
typedef unsigned int sigset_t;
union sigval {
  int sival_int;
  void *_Null_unspecified sival_ptr;
};
typedef struct __siginfo {
  int si_signo;
  int si_errno;
  int si_code;
  pid_t si_pid;
  uid_t si_uid;
  int si_status;
  void *_Null_unspecified si_addr;
  union sigval si_value;
  long si_band;
  unsigned long __pad[7];
} siginfo_t;
union __sigaction_u {
  void (*_Null_unspecified __sa_handler)(int);
  void (*_Null_unspecified __sa_sigaction)(int, struct __siginfo *_Null_unspecified, void *_Null_unspecified);
};
struct sigaction {
  union __sigaction_u __sigaction_u;
  sigset_t sa_mask;
  int sa_flags;
};
#define SA_ONSTACK 0x0001
#define SA_RESTART 0x0002
#define SA_SIGINFO 0x0040
#define SIG_BLOCK 1
#define SIG_UNBLOCK 2
#define SIG_SETMASK 3
#define SIGHUP 1
#define SIGINT 2
#define SIGQUIT 3
#define SIGILL 4
#define SIGTRAP 5
#define SIGABRT 6
#define SIGEMT 7
#define SIGFPE 8
#define SIGKILL 9
#define SIGBUS 10
#define SIGSEGV 11
#define SIGSYS 12
#define SIGPIPE 13
#define SIGALRM 14
#define SIGTERM 15
#define SIGURG 16
#define SIGSTOP 17
#define SIGTSTP 18
#define SIGCONT 19
#define SIGCHLD 20
#define SIGTTIN 21
#define SIGTTOU 22
#define SIGIO 23
#define SIGXCPU 24
#define SIGXFSZ 25
#define SIGVTALRM 26
#define SIGPROF 27
#define SIGWINCH 28
#define SIGINFO 29
#define SIGUSR1 30
#define SIGUSR2 31
int sigaction(int, const struct sigaction *_Nullable restrict, struct sigaction *_Nullable restrict);
int sigemptyset(sigset_t *_Nullable);
int sigfillset(sigset_t *_Nullable);
int sigaddset(sigset_t *_Nullable, int);
int sigdelset(sigset_t *_Nullable, int);
int sigismember(const sigset_t *_Nullable, int);
int raise(int);
int kill(pid_t, int);

// <pthread.h>; the start routine without _PTHREAD_SWIFT_IMPORTER_NULLABILITY_COMPAT
typedef struct _opaque_pthread_t {
  long __sig;
  struct __darwin_pthread_handler_rec *_Nullable __cleanup_stack;
  char __opaque[8176];
} *pthread_t;
typedef struct _opaque_pthread_attr_t {
  long __sig;
  char __opaque[56];
} pthread_attr_t;
typedef struct _opaque_pthread_mutex_t {
  long __sig;
  char __opaque[56];
} pthread_mutex_t;
typedef struct _opaque_pthread_mutexattr_t {
  long __sig;
  char __opaque[8];
} pthread_mutexattr_t;
typedef unsigned long pthread_key_t;
int pthread_key_create(pthread_key_t *, void (*_Nullable)(void *));
void *_Nullable pthread_getspecific(pthread_key_t);
int pthread_setspecific(pthread_key_t, const void *_Nullable);
pthread_t pthread_self(void);
size_t pthread_get_stacksize_np(pthread_t);
unsigned int pthread_mach_thread_np(pthread_t);
#ifdef _PTHREAD_SWIFT_IMPORTER_NULLABILITY_COMPAT
int pthread_create(pthread_t _Nullable *_Nonnull restrict, const pthread_attr_t *_Nullable restrict,
                   void *_Nullable (*_Nonnull)(void *_Nonnull), void *_Nullable restrict);
#else
int pthread_create(pthread_t _Nullable *_Nonnull restrict, const pthread_attr_t *_Nullable restrict,
                   void *_Nullable (*_Nonnull)(void *_Nullable), void *_Nullable restrict);
#endif
int pthread_attr_init(pthread_attr_t *);
int pthread_attr_destroy(pthread_attr_t *);
int pthread_attr_setstacksize(pthread_attr_t *, size_t);
int pthread_detach(pthread_t);
int pthread_join(pthread_t, void *_Nullable *_Nullable);
int pthread_sigmask(int, const sigset_t *_Nullable, sigset_t *_Nullable);
int pthread_mutex_init(pthread_mutex_t *restrict, const pthread_mutexattr_t *_Nullable restrict);
int pthread_mutex_destroy(pthread_mutex_t *);
int pthread_mutex_lock(pthread_mutex_t *);
int pthread_mutex_unlock(pthread_mutex_t *);

// <sched.h>
int sched_yield(void);

// <unistd.h>
unsigned int sleep(unsigned int);
int getppid(void);
int getpid(void);
int isatty(int);
int close(int);
int pipe(int [_Nonnull 2]);
ssize_t read(int, void *_Null_unspecified, size_t);
ssize_t write(int, const void *_Null_unspecified, size_t);
_Noreturn void _exit(int);

// <stdlib.h>
_Noreturn void exit(int);
int atexit(void (^_Nonnull)(void)) __asm__("_atexit_b");

// <crt_externs.h>
char *_Nullable *_Null_unspecified *_Nonnull _NSGetEnviron(void);

// <time.h>; the clocks are in the overlay
struct timespec {
  time_t tv_sec;
  long tv_nsec;
};

// <sys/fcntl.h>; `open` and `fcntl` are in the overlay
#define O_RDONLY 0x0000
#define O_APPEND 0x00000008
#define O_WRONLY 0x0001
#define O_RDWR 0x0002
#define O_NONBLOCK 0x00000004
#define O_CREAT 0x00000200
#define O_TRUNC 0x00000400
#define O_NOCTTY 0x00020000
#define O_CLOEXEC 0x01000000
#define F_DUPFD 0
#define F_GETFD 1
#define F_SETFD 2
#define F_SETFL 4
#define FD_CLOEXEC 1

// <sys/stat.h>
struct stat {
  int st_dev;
  mode_t st_mode;
  unsigned short st_nlink;
  ino_t st_ino;
};
int fstat(int, struct stat *_Null_unspecified);

// <sys/socket.h>, <sys/un.h>
#define AF_UNIX 1
#define SOCK_DGRAM 2
#define MSG_DONTWAIT 0x80
struct sockaddr {
  unsigned char sa_len;
  sa_family_t sa_family;
  char sa_data[14];
};
struct sockaddr_un {
  unsigned char sun_len;
  sa_family_t sun_family;
  char sun_path[104];
};
int socket(int, int, int);
ssize_t sendto(int, const void *_Null_unspecified, size_t, int, const struct sockaddr *_Null_unspecified, socklen_t);

// <poll.h>
struct pollfd {
  int fd;
  short events;
  short revents;
};
typedef unsigned int nfds_t;
#define POLLIN 0x0001
#define POLLOUT 0x0004
int poll(struct pollfd *_Null_unspecified, nfds_t, int);

// <sys/termios.h>, <sys/ttycom.h>
typedef unsigned long tcflag_t;
typedef unsigned char cc_t;
typedef unsigned long speed_t;
struct termios {
  tcflag_t c_iflag;
  tcflag_t c_oflag;
  tcflag_t c_cflag;
  tcflag_t c_lflag;
  cc_t c_cc[20];
  speed_t c_ispeed;
  speed_t c_ospeed;
};
struct winsize {
  unsigned short ws_row;
  unsigned short ws_col;
  unsigned short ws_xpixel;
  unsigned short ws_ypixel;
};
#define VMIN 16
#define VTIME 17
#define TCSANOW 0
#define TCOOFF 1
#define PARMRK 0x00000008
#define ISTRIP 0x00000020
#define INLCR 0x00000040
#define IGNCR 0x00000080
#define ICRNL 0x00000100
#define IXON 0x00000200
#define ECHO 0x00000008
#define ECHONL 0x00000010
#define ISIG 0x00000080
#define ICANON 0x00000100
#define IEXTEN 0x00000400
int tcflow(int, int);
int tcgetattr(int, struct termios *_Null_unspecified);
int tcsetattr(int, int, const struct termios *_Null_unspecified);

// <mach/kern_return.h>, <mach/thread_info.h>, <mach/time_value.h>, <mach/thread_act.h>
typedef int kern_return_t;
typedef int integer_t;
typedef unsigned int mach_msg_type_number_t;
typedef unsigned int thread_flavor_t;
typedef integer_t *thread_info_t;
#define KERN_SUCCESS 0
#define TH_STATE_WAITING 3
#define THREAD_BASIC_INFO 3
typedef struct time_value {
  integer_t seconds;
  integer_t microseconds;
} time_value_t;
struct thread_basic_info {
  time_value_t user_time;
  time_value_t system_time;
  integer_t cpu_usage;
  integer_t policy;
  integer_t run_state;
  integer_t flags;
  integer_t suspend_count;
  integer_t sleep_time;
};
kern_return_t thread_info(
    unsigned int target_act, thread_flavor_t flavor, thread_info_t _Null_unspecified thread_info_out,
    mach_msg_type_number_t *_Null_unspecified thread_info_outCnt);

#pragma clang assume_nonnull end

// What the demo, the tests, and the search for copies of a library need besides. These headers say nothing about null
// pointers.

// <signal.h>
void (*signal(int, void (*)(int)))(int);

// <stdio.h>
typedef struct __sFILE FILE;
int fflush(FILE *);
int rename(const char *, const char *);

// <stdlib.h>, <string.h>, <unistd.h>, <sys/fcntl.h>
int mkstemp(char *);
int usleep(unsigned int);
char *getenv(const char *);
int unsetenv(const char *);
int setenv(const char *, const char *, int);
char *mkdtemp(char *);
char *strdup(const char *);
void free(void *);
int unlink(const char *);
int access(const char *, int);
#define F_OK 0
int rmdir(const char *);
off_t lseek(int, off_t, int);
#define SEEK_SET 0
int pause(void);
int tcsetpgrp(int, pid_t);
int posix_openpt(int);
int grantpt(int);
int unlockpt(int);
char *ptsname(int);

// <dirent.h>, <sys/dirent.h>, with 64-bit inodes
typedef struct _dirdesc DIR;
struct _dirdesc {
  int __dd_fd;
};
struct dirent {
  unsigned long long d_ino;
  unsigned long long d_seekoff;
  unsigned short d_reclen;
  unsigned short d_namlen;
  unsigned char d_type;
  char d_name[1024];
};
DIR *opendir(const char *);
struct dirent *readdir(DIR *);
int closedir(DIR *);

// <sys/wait.h>
#define WUNTRACED 0x00000002
pid_t waitpid(pid_t, int *, int);

// <libproc.h>, <sys/proc_info.h>
#define PROC_PIDTASKINFO 4
#define PROC_PIDTHREADINFO 5
#define PROC_PIDLISTTHREADS 6
struct proc_taskinfo {
  unsigned long long pti_sizes_and_times[6];
  int pti_policy;
  int pti_counts[7];
  int pti_csw;
  int pti_threadnum;
  int pti_numrunning;
  int pti_priority;
};
struct proc_threadinfo {
  unsigned long long pth_user_time;
  unsigned long long pth_system_time;
  int pth_cpu_usage;
  int pth_policy;
  int pth_run_state;
  int pth_others[5];
  char pth_name[64];
};
int proc_pidinfo(int, int, unsigned long long, void *, int);

// <sys/socket.h>
int bind(int, const struct sockaddr *, socklen_t);
ssize_t recv(int, void *, size_t, int);

// <spawn.h>, <sys/spawn.h>
typedef void *posix_spawnattr_t;
typedef void *posix_spawn_file_actions_t;
#define POSIX_SPAWN_SETPGROUP 0x0002
#define POSIX_SPAWN_SETSIGDEF 0x0004
#define POSIX_SPAWN_SETSIGMASK 0x0008
#define POSIX_SPAWN_SETSID 0x0400
int posix_spawn(pid_t *restrict, const char *restrict, const posix_spawn_file_actions_t *,
                const posix_spawnattr_t *restrict, char *const[restrict], char *const[restrict]);
int posix_spawn_file_actions_init(posix_spawn_file_actions_t *);
int posix_spawn_file_actions_destroy(posix_spawn_file_actions_t *);
int posix_spawn_file_actions_adddup2(posix_spawn_file_actions_t *, int, int);
int posix_spawn_file_actions_addopen(posix_spawn_file_actions_t *restrict, int, const char *restrict, int,
                                     mode_t);
int posix_spawnattr_init(posix_spawnattr_t *);
int posix_spawnattr_destroy(posix_spawnattr_t *);
int posix_spawnattr_setflags(posix_spawnattr_t *, short);
int posix_spawnattr_setpgroup(posix_spawnattr_t *, pid_t);
int posix_spawnattr_setsigdefault(posix_spawnattr_t *restrict, const sigset_t *restrict);
int posix_spawnattr_setsigmask(posix_spawnattr_t *restrict, const sigset_t *restrict);

// <dlfcn.h>
typedef struct dl_info {
  const char *dli_fname;
  void *dli_fbase;
  const char *dli_sname;
  void *dli_saddr;
} Dl_info;
int dladdr(const void *, Dl_info *);
void *dlsym(void *, const char *);
