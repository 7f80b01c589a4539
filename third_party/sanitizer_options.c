/* For sanitizer builds only, in every program of theirs, so that it matters nowhere how one is called. */

/* Dynamic thread-local storage is not searched for pointers: since glibc 2.25 the runtime of GCC 12 guesses where it begins,
   and where it guesses wrong the leak check itself crashes, on some machines in most programs that draw. */
const char* __asan_default_options(void);
const char* __asan_default_options(void) {
  /* Undefined behaviour is a trap, and the stack is wanted. Where memory came from is told to eight callers, not thirty: each
     allocation pays for them. */
  return "detect_leaks=1:strict_string_checks=1:intercept_tls_get_addr=0:handle_sigill=1:malloc_context_size=8";
}

/* Where it is told in a sentence: in what clang builds. */
const char* __ubsan_default_options(void);
const char* __ubsan_default_options(void) {
  return "print_stacktrace=1";
}

/* Mesa unloads its driver before the leak check runs, which then cannot name the frames of the driver's own one-time
   allocations. Keeping every library loaded makes them reachable again, so no suppression is needed. */
int dlclose(void* handle);
int dlclose(void* handle) {
  (void)handle;
  return 0;
}
