// Makes rare schedules common: loaded before a program (LD_PRELOAD), it delays some of the jobs of
// Swift's concurrency runtime, and the beginnings of threads, by a random time.
//
// Nothing that the runtime promises is broken: the order of jobs on the global executor is not
// promised, and an actor's own order is kept above it. What depends on a lucky order fails.
//
// PERTURB_SEED   which random numbers                                          (1)
// PERTURB_LATE   jobs in a hundred that another thread brings, later           (5)
// PERTURB_PAUSE  jobs in a hundred whose sender is held up                    (10)
// PERTURB_MICROSECONDS  the longest of these times                          (2,000)

#define _GNU_SOURCE  // RTLD_NEXT

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

typedef void (*enqueue_function)(void *job);
typedef void (*enqueue_hook)(void *job, enqueue_function original);
typedef int (*create_function)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

static atomic_ullong steps;
static uint32_t late_share = 5, paused_share = 10, longest_rest = 2000;

// SplitMix64 (Steele, Lea and Flood, 2014), one step for each number, whoever asks.
static uint32_t below(uint32_t limit) {
  uint64_t x = atomic_fetch_add(&steps, 0x9E3779B97F4A7C15);
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
  return limit == 0 ? 0 : (uint32_t)((x ^ (x >> 31)) >> 32) % limit;
}

static void rest(void) { usleep(below(longest_rest)); }

static create_function create(void) {
  static _Atomic(create_function) found;
  create_function function = atomic_load(&found);
  if (!function) {
    function = (create_function)dlsym(RTLD_NEXT, "pthread_create");
    atomic_store(&found, function);
  }
  return function;
}

// Jobs.

typedef struct {
  void *job;
  enqueue_function original;
} errand;

static void *run_errand(void *argument) {
  errand it = *(errand *)argument;
  free(argument);
  rest();
  it.original(it.job);
  return NULL;
}

// On the platforms where this runs, the runtime's calling convention is C's for two pointers.
static void enqueue(void *job, enqueue_function original) {
  uint32_t chance = below(100);
  errand *it = chance < late_share ? malloc(sizeof *it) : NULL;
  if (it) {
    *it = (errand){job, original};
    pthread_t thread;
    if (create()(&thread, NULL, run_errand, it) == 0) {
      pthread_detach(thread);
      return;
    }
    free(it);
  } else if (chance < late_share + paused_share) {
    rest();
  }
  original(job);
}

// Threads.

typedef struct {
  void *(*body)(void *);
  void *argument;
} start;

static void *begin(void *argument) {
  start it = *(start *)argument;
  free(argument);
  if (below(2)) rest();
  return it.body(it.argument);
}

int pthread_create(
  pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *), void *argument
) {
  start *it = malloc(sizeof *it);
  if (!it) return create()(thread, attributes, body, argument);
  *it = (start){body, argument};
  int status = create()(thread, attributes, begin, it);
  if (status != 0) free(it);
  return status;
}

static void read_number(const char *name, uint32_t *number) {
  const char *text = getenv(name);
  if (text) *number = (uint32_t)strtoul(text, NULL, 10);
}

__attribute__((constructor)) static void install(void) {
  uint32_t seed = 1;
  read_number("PERTURB_SEED", &seed);
  read_number("PERTURB_LATE", &late_share);
  read_number("PERTURB_PAUSE", &paused_share);
  read_number("PERTURB_MICROSECONDS", &longest_rest);
  atomic_store(&steps, (uint64_t)seed << 32);
  // Programs without the concurrency runtime, such as a shell, are left alone.
  enqueue_hook *hook = dlsym(RTLD_DEFAULT, "swift_task_enqueueGlobal_hook");
  if (hook) *hook = enqueue;
}
