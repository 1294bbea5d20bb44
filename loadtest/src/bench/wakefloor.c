// wakefloor: CPU time that Linux needs to relay messages from one TCP connection to 100 others, without any
// protocol. A second thread shows the cost of one wake-up between threads (eventfd and epoll).
//
//   cc -O2 -pthread -o wakefloor wakefloor.c
//   wakefloor THREADS RATE SECONDS      # THREADS: 1 or 2
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { CLIENTS = 100, BYTES = 540 };

static int clients[CLIENTS], peers[CLIENTS], wake;
static unsigned sent;
static char message[BYTES];

static int connected(int *other) {
  struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t size = sizeof at;
  int one = 1, listener = socket(AF_INET, SOCK_STREAM, 0), fd = socket(AF_INET, SOCK_STREAM, 0);
  bind(listener, (struct sockaddr *)&at, size);
  listen(listener, 1);
  getsockname(listener, (struct sockaddr *)&at, &size);
  connect(fd, (struct sockaddr *)&at, size);
  *other = accept(listener, 0, 0);
  close(listener);
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  setsockopt(*other, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  return fd;
}

static int watching(const int *fds, int count, uint32_t events) {
  int epoll = epoll_create1(0);
  for (int i = 0; i < count; i++) {
    struct epoll_event event = {.events = events, .data.fd = fds[i]};
    epoll_ctl(epoll, EPOLL_CTL_ADD, fds[i], &event);
  }
  return epoll;
}

static void relay(void) { send(clients[sent++ % CLIENTS], message, BYTES, MSG_DONTWAIT | MSG_NOSIGNAL); }

static void *second(void *unused) {
  struct epoll_event event;
  int epoll = watching(&wake, 1, EPOLLIN | EPOLLET);
  while (epoll_wait(epoll, &event, 1, -1) > 0) relay();
  return unused;
}

static void publish(int to, int rate, int seconds) {
  struct timespec pause = {0, 1000000000L / rate};
  for (long i = 0; i < (long)rate * seconds; i++) {
    nanosleep(&pause, 0);
    send(to, message, BYTES, 0);
  }
  _exit(0);
}

static void receive(void) {
  static char bytes[65536];
  struct epoll_event events[64];
  int epoll = watching(peers, CLIENTS, EPOLLIN);
  for (;;) {
    int ready = epoll_wait(epoll, events, 64, -1);
    for (int i = 0; i < ready; i++)
      if (read(events[i].data.fd, bytes, sizeof bytes) <= 0) _exit(0);
  }
}

int main(int count, char **arguments) {
  if (count < 4) return 2;
  int threads = atoi(arguments[1]), source, in = connected(&source);
  for (int i = 0; i < CLIENTS; i++) clients[i] = connected(&peers[i]);
  pid_t publisher = fork();
  if (publisher == 0) publish(source, atoi(arguments[2]), atoi(arguments[3]));
  close(source);
  pid_t receiver = fork();
  if (receiver == 0) receive();
  wake = eventfd(0, EFD_NONBLOCK);
  pthread_t thread;
  if (threads == 2) pthread_create(&thread, 0, second, 0);
  static char bytes[65536];
  struct epoll_event event;
  uint64_t one = 1;
  long messages = 0, got = 1;
  int epoll = watching(&in, 1, EPOLLIN);
  while (got != 0) {
    epoll_wait(epoll, &event, 1, -1);
    got = recv(in, bytes, sizeof bytes, MSG_DONTWAIT);
    if (got <= 0) continue;
    messages += got / BYTES;
    if (threads != 2) relay();
    else if (write(wake, &one, sizeof one) < 0) return 1;
  }
  struct rusage used;
  getrusage(RUSAGE_SELF, &used);
  double us = (used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1e6 + used.ru_utime.tv_usec + used.ru_stime.tv_usec;
  printf("%d threads, %ld messages: %.1f us of CPU, %.2f switches per message\n", threads, messages, us / messages,
         (double)(used.ru_nvcsw + used.ru_nivcsw) / messages);
  fflush(stdout);
  kill(receiver, SIGKILL);
  _exit(0);
}
