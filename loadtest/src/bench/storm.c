// storm: latency of connected clients while others connect, such as those of a node that was killed.
//
//   cc -O2 -Wall -pthread -o storm storm.c
//   storm -x PID -p PORT [-n RECEIVERS] [-j JOINING] [-d SECONDS] [-k ROUNDS] [-w SECONDS] [-t TOPICS] [-u PATH]
//         [-P SUBPROTOCOL] [-b BYTES] [-s FRAME] [-S FRAME] [-a ANSWER] [-L LABEL]
//
// The RECEIVERS (5,000) subscribe to one of the TOPICS each and receive messages of BYTES that begin with
// TS=<unix time in ns>, as those of "sluice feed". In each round, after -w seconds (5) without changes, JOINING
// (10,000) clients connect evenly within -d seconds (5), subscribe with the frame -S, stay for -w seconds and leave.
// Without JOINING, storm measures the cost of deliveries.
//
// Frames are text frames: {t} stands for the number of a client's topic, {ago:MS} for a unix time in milliseconds,
// MS before now. ANSWER is part of the frame that answers -S. The clients of -n and of -j have one thread each.
//
// Output, as CSV: label, round, phase (idle, storm, after), clients at its end, messages/s, latency p50, p99, p99.9
// and maximum of the receivers in ms, CPU of the server per message of all clients in µs, cores used by the server
// and by storm, and for storms the time until the last client was subscribed, connections not answered with ANSWER,
// and CPU per joining client above that of the idle phase in µs, which includes the deliveries to it. Latencies end
// when the kernel has the message for the client.
#include "client.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>

enum { EVENTS = 256, STAMP = 22, BUCKET_US = 20, BUCKETS = 500000, MOST_PENDING = 1000, BUFFER = 1 << 18 };

typedef enum { CONNECTING, UPGRADING, SUBSCRIBING, SUBSCRIBED } state;

typedef struct {
  int fd, skip; // bytes up to the end of a message whose time has been read
  uint8_t state, kept;
  char rest[STAMP]; // end of the previous read, which may be a part of a time
} client;

typedef struct {
  client *clients;
  int number, first, epoll, topics; // first: number of the first client, for its address
  const char *frame;
  atomic_int subscribed, failed;
  atomic_ullong messages;
  char *buffer;
  uint64_t *counts; // latency in buckets; null: not measured
} group;

static int port, pid, seconds_open = 5, spread = 5, rounds = 3, topics = 100, bytes = 512;
static const char *path = "/ws", *subprotocol = "sluice.v1.json", *answer = "\"subscribed\"", *label = "server";
static _Atomic uint64_t phase_start; // messages published before are not measured
static atomic_bool ended;

static void expand(char *text, const char *frame, int topic) {
  char digits[24], mark[32];
  snprintf(text, MAX_TEXT, "%s", frame);
  snprintf(digits, sizeof digits, "%d", topic);
  replace(text, "{t}", digits);
  for (char *at; (at = strstr(text, "{ago:"));) {
    snprintf(mark, sizeof mark, "%.*s", (int)(strchr(at, '}') - at + 1), at);
    snprintf(digits, sizeof digits, "%lld", (long long)(nanoseconds(CLOCK_REALTIME) / 1000000) - atoll(at + 5));
    replace(text, mark, digits);
  }
}

static void end(group *g, client *c) {
  if (c->fd >= 0) {
    close(c->fd);
    c->fd = -1;
    if (c->state == SUBSCRIBED) {
      g->subscribed--;
    }
    g->failed++;
  }
}

static void record(group *g, const char *time, uint64_t now) {
  uint64_t sent = strtoull(time, 0, 10);
  if (g->counts && sent >= phase_start) {
    uint64_t bucket = now > sent ? (now - sent) / (1000 * BUCKET_US) : 0;
    g->counts[bucket < BUCKETS ? bucket : BUCKETS - 1]++;
  }
}

// Finds the times of the messages in bytes received at a time, which follow those kept from before.
static void read_messages(group *g, client *c, char *from, int length, uint64_t now) {
  int skipped = c->skip < length ? c->skip : length;
  char *at = from + skipped, *limit = from + length;
  uint64_t messages = 0;
  c->skip -= skipped;
  for (char *stamp; (stamp = memmem(at, limit - at, "TS=", 3)) && limit - stamp >= STAMP; messages++) {
    record(g, stamp + 3, now);
    at = stamp + bytes;
    if (at > limit) {
      c->skip = at - limit;
      at = limit;
    }
  }
  c->kept = limit - at < STAMP - 1 ? limit - at : STAMP - 1;
  memcpy(c->rest, limit - c->kept, c->kept);
  g->messages += messages;
}

static void advance(group *g, client *c, char *received, int length, int i) {
  char text[MAX_TEXT];
  if (c->state == UPGRADING && memmem(received, length, "\r\n\r\n", 4)) {
    expand(text, g->frame, i % g->topics);
    c->state = SUBSCRIBING;
    bool upgraded = !memcmp(received, "HTTP/1.1 101", 12);
    if (!upgraded && g->failed == 0) {
      fprintf(stderr, "%.*s\n", length, received);
    }
    if (!upgraded || !send_text(c->fd, text)) {
      end(g, c);
      return;
    }
  }
  if (c->state == SUBSCRIBING && memmem(received, length, answer, strlen(answer))) {
    c->state = SUBSCRIBED;
    g->subscribed++;
  }
}

// Reads from a socket. Sets the time at which the kernel received the last bytes, which does not depend on the load
// of this process.
static ssize_t read_timed(int fd, char *to, uint64_t *time_ns) {
  union {
    char bytes[CMSG_SPACE(sizeof(struct timespec))];
    struct cmsghdr aligned;
  } control;
  struct iovec part = {to, BUFFER - STAMP};
  struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
  ssize_t length = recvmsg(fd, &message, 0);
  struct cmsghdr *header = length > 0 ? CMSG_FIRSTHDR(&message) : 0;
  if (header && header->cmsg_type == SO_TIMESTAMPNS) {
    struct timespec time;
    memcpy(&time, CMSG_DATA(header), sizeof time);
    *time_ns = time.tv_sec * 1000000000ull + time.tv_nsec;
  } else {
    *time_ns = nanoseconds(CLOCK_REALTIME);
  }
  return length;
}

static void receive(group *g, client *c, int i) {
  ssize_t length;
  uint64_t time_ns;
  do {
    memcpy(g->buffer, c->rest, c->kept);
    length = read_timed(c->fd, g->buffer + c->kept, &time_ns);
    if (length > 0 && c->state < SUBSCRIBED) {
      advance(g, c, g->buffer + c->kept, length, i);
    }
    if (length > 0 && c->fd >= 0) {
      read_messages(g, c, g->buffer, length + c->kept, time_ns);
    }
  } while (c->fd >= 0 && length == BUFFER - STAMP);
  if (c->fd >= 0 && (length == 0 || (length < 0 && errno != EAGAIN))) {
    end(g, c);
  }
}

static void serve(group *g, int timeout_ms) {
  struct epoll_event events[EVENTS];
  int ready = epoll_wait(g->epoll, events, EVENTS, timeout_ms);
  for (int e = 0; e < ready; e++) {
    int i = events[e].data.u32 - g->first;
    client *c = &g->clients[i];
    if (c->fd >= 0 && c->state == CONNECTING && events[e].events & EPOLLOUT) {
      c->state = UPGRADING;
      if (!send_upgrade(c->fd, port, path, subprotocol)) {
        end(g, c);
      }
    }
    if (c->fd >= 0 && events[e].events & (EPOLLIN | EPOLLERR | EPOLLHUP)) {
      receive(g, c, i);
    }
  }
}

// Connects the clients of a group evenly within a time. Returns the seconds until the last one was subscribed.
static double connect_all(group *g, double within) {
  double start = seconds();
  int begun = 0, on = 1;
  g->subscribed = g->failed = 0;
  while (g->subscribed + g->failed < g->number) {
    while (begun < g->number && begun - g->subscribed - g->failed < MOST_PENDING &&
           begun <= (seconds() - start) / within * g->number) {
      g->clients[begun] = (client){.fd = connect_client(g->epoll, g->first + begun, port)};
      setsockopt(g->clients[begun++].fd, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof on);
    }
    serve(g, 1);
  }
  return seconds() - start;
}

static void serve_for(group *g, double time) {
  for (double until = seconds() + time; seconds() < until;) {
    serve(g, 10);
  }
}

static void *serve_until_end(void *receivers) {
  while (!ended) {
    serve(receivers, 10);
  }
  return 0;
}

static group new_group(int number, int first, const char *frame) {
  group g = {.clients = calloc(number + 1, sizeof(client)), .number = number, .first = first, .topics = topics};
  g.epoll = epoll_create1(0);
  g.frame = frame;
  g.buffer = malloc(BUFFER);
  return g;
}

static double percentile(const uint64_t *counts, double share) {
  uint64_t sum = 0, reached = 0;
  int i = 0;
  for (int k = 0; k < BUCKETS; k++) {
    sum += counts[k];
  }
  while (i < BUCKETS - 1 && (reached += counts[i]) < share * sum) {
    i++;
  }
  return (i + 0.5) * BUCKET_US / 1000.0;
}

typedef struct {
  double cpu, own_cpu, time;
  uint64_t messages;
} mark;

static mark mark_now(group *a, group *b) {
  return (mark){server_cpu(pid), nanoseconds(CLOCK_PROCESS_CPUTIME_ID) / 1e9, seconds(), a->messages + b->messages};
}

// Prints the results of a phase without the end of the line, and returns the CPU time of the server per second.
static double print(int round, const char *phase, group *a, group *b, mark start) {
  mark now = mark_now(a, b);
  uint64_t *counts = a->counts;
  double time = now.time - start.time, cpu = now.cpu - start.cpu, messages = now.messages - start.messages;
  printf("%s,%d,%s,%d,%.0f,%.2f,%.2f,%.2f,%.2f,%.2f,%.2f,%.2f", label, round, phase, a->subscribed + b->subscribed,
         messages / time, percentile(counts, 0.5), percentile(counts, 0.99), percentile(counts, 0.999),
         percentile(counts, 1), cpu / (messages ? messages : 1) * 1e6, cpu / time,
         (now.own_cpu - start.own_cpu) / time);
  return cpu / time;
}

// Begins a phase: messages published before do not count for it.
static mark begin_phase(group *receivers, group *joining) {
  static uint64_t buckets[8][BUCKETS]; // a new one each, because the other thread may still write to the last
  static int next;
  uint64_t *counts = buckets[next++ % 8];
  memset(counts, 0, sizeof *buckets);
  phase_start = nanoseconds(CLOCK_REALTIME);
  receivers->counts = counts;
  return mark_now(receivers, joining);
}

static void measure_round(int round, group *receivers, group *joining) {
  mark start = begin_phase(receivers, joining);
  usleep(seconds_open * 1e6);
  double idle = print(round, "idle", receivers, joining, start);
  puts(",,,");
  if (joining->number == 0) {
    return;
  }
  start = begin_phase(receivers, joining);
  double took = connect_all(joining, spread);
  double cpu = (server_cpu(pid) - start.cpu - idle * (seconds() - start.time)) / joining->number;
  print(round, "storm", receivers, joining, start);
  printf(",%.2f,%d,%.0f\n", took, joining->failed, cpu * 1e6);
  start = begin_phase(receivers, joining);
  serve_for(joining, seconds_open);
  print(round, "after", receivers, joining, start);
  puts(",,,");
  for (int i = 0; i < joining->number; i++) {
    close(joining->clients[i].fd);
  }
  usleep(2000000);
}

int main(int argc, char **argv) {
  int receivers = 5000, joining = 10000;
  const char *frame = "{\"type\":\"subscribe\",\"ref\":1,\"topic\":\"stocks.{t}\"}", *joining_frame = 0;
  for (int option; (option = getopt(argc, argv, "n:j:d:k:w:t:p:x:u:P:b:s:S:a:L:")) != -1;) {
    switch (option) {
      case 'n': receivers = atoi(optarg); break;
      case 'j': joining = atoi(optarg); break;
      case 'd': spread = atoi(optarg); break;
      case 'k': rounds = atoi(optarg); break;
      case 'w': seconds_open = atoi(optarg); break;
      case 't': topics = atoi(optarg); break;
      case 'p': port = atoi(optarg); break;
      case 'x': pid = atoi(optarg); break;
      case 'u': path = optarg; break;
      case 'P': subprotocol = optarg; break;
      case 'b': bytes = atoi(optarg); break;
      case 's': frame = optarg; break;
      case 'S': joining_frame = optarg; break;
      case 'a': answer = optarg; break;
      case 'L': label = optarg; break;
      default: return 1;
    }
  }
  signal(SIGPIPE, SIG_IGN);
  setvbuf(stdout, 0, _IOLBF, 0);
  group a = new_group(receivers, 0, frame), b = new_group(joining, receivers, joining_frame ? joining_frame : frame);
  connect_all(&a, receivers / 2000.0);
  if (a.failed) {
    fprintf(stderr, "%d receivers were not subscribed\n", a.failed);
    return 1;
  }
  puts("label,round,phase,clients,messages_per_s,p50_ms,p99_ms,p999_ms,max_ms,us_per_message,cores,client_cores,seconds,failed,"
       "us_per_joining");
  begin_phase(&a, &b);
  pthread_t thread;
  pthread_create(&thread, 0, serve_until_end, &a);
  usleep(3000000);
  for (int round = 1; round <= rounds; round++) {
    measure_round(round, &a, &b);
  }
  ended = true;
  pthread_join(thread, 0);
}
