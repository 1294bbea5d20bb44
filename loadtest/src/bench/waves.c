// waves: server CPU per connected client. Waves of clients connect, subscribe and leave; the CPU time of the server's
// process is read before each wave and after every client has received the answer to its subscription.
//
//   cc -O2 -Wall -o waves waves.c
//   waves -x PID -p PORT [-n CLIENTS] [-r CLIENTS_PER_SECOND] [-k WAVES] [-t TOPICS] [-u PATH] [-P SUBPROTOCOL]
//         [-s FRAME] [-a ANSWER] [-H SECONDS_TO_STAY] [-g FEW]
//
// FRAME is a text frame; {t} stands for the number of a client's topic. ANSWER is part of the frame that answers it.
// At most 1,000 clients connect at the same time. With -g, each wave has two steps: FEW clients, then all CLIENTS.
// Output, as CSV: wave, clients, us_per_client, seconds, failed, and resident_kib of the server after the stay.
#include "client.h"

#include <signal.h>

enum { MOST_PENDING = 1000, EVENTS = 256, SETTLE_MS = 500, LEAVE_MS = 4000 };

typedef enum { CONNECTING, UPGRADING, SUBSCRIBING, SUBSCRIBED } state;

typedef struct {
  int fd;
  state state;
} client;

static client *clients;
static int number = 15000, rate = 5000, waves = 3, topics = 100, port, pid;
static int pending, subscribed, failed, stay, few;
static const char *path = "/ws", *subprotocol = "sluice.v1.json", *answer = "\"subscribed\"";
static const char *frame = "{\"type\":\"subscribe\",\"ref\":1,\"topic\":\"stocks.{t}\"}";

static void begin(int epoll, int i) {
  clients[i] = (client){.fd = connect_client(epoll, i, port), .state = CONNECTING};
  pending++;
}

static void end(client *c) {
  if (c->fd >= 0) {
    close(c->fd);
    c->fd = -1;
    failed++;
    pending -= c->state != SUBSCRIBED;
  }
}

static void upgrade(client *c) {
  c->state = UPGRADING;
  if (!send_upgrade(c->fd, port, path, subprotocol)) {
    end(c);
  }
}

static void subscribe(client *c, int topic) {
  char text[MAX_TEXT], digits[12];
  snprintf(text, sizeof text, "%s", frame);
  snprintf(digits, sizeof digits, "%d", topic);
  replace(text, "{t}", digits);
  c->state = SUBSCRIBING;
  if (!send_text(c->fd, text)) {
    end(c);
  }
}

static void receive(client *c, int topic) {
  static char bytes[1 << 16];
  ssize_t length;
  while (c->fd >= 0 && (length = read(c->fd, bytes, sizeof bytes)) > 0) {
    if (c->state == UPGRADING && memmem(bytes, length, "\r\n\r\n", 4)) {
      if (memcmp(bytes, "HTTP/1.1 101", 12)) {
        fprintf(stderr, "%.*s\n", (int)length, bytes);
        end(c);
        return;
      }
      subscribe(c, topic);
    }
    if (c->state == SUBSCRIBING && memmem(bytes, length, answer, strlen(answer))) {
      c->state = SUBSCRIBED;
      subscribed++;
      pending--;
    }
  }
  if (c->fd >= 0 && (length == 0 || errno != EAGAIN)) {
    end(c);
  }
}

static void serve(int epoll, int timeout_ms) {
  struct epoll_event events[EVENTS];
  int ready = epoll_wait(epoll, events, EVENTS, timeout_ms);
  for (int i = 0; i < ready; i++) {
    client *c = &clients[events[i].data.u32];
    if (c->fd >= 0 && c->state == CONNECTING && events[i].events & EPOLLOUT) {
      upgrade(c);
    }
    if (c->fd >= 0 && events[i].events & (EPOLLIN | EPOLLERR | EPOLLHUP)) {
      receive(c, events[i].data.u32 % topics);
    }
  }
}

static void serve_for(int epoll, int ms) {
  for (double until = seconds() + ms / 1e3; seconds() < until;) {
    serve(epoll, 10);
  }
}

// Connects clients until there are this many; counted from the number before.
static void grow(int epoll, int k, int before, int size) {
  double cpu = server_cpu(pid), start = seconds(), took;
  int begun = before;
  while (subscribed + failed < size) {
    while (begun < size && pending < MOST_PENDING && begun - before < (seconds() - start) * rate) {
      begin(epoll, begun++);
    }
    serve(epoll, 1);
  }
  took = seconds() - start;
  serve_for(epoll, SETTLE_MS);
  printf("%d,%d,%.1f,%.2f,%d,", k, size, (server_cpu(pid) - cpu) / (size - before) * 1e6, took, failed);
  serve_for(epoll, stay * 1000);
  printf("%ld\n", server_memory(pid));
}

static void wave(int epoll, int k) {
  subscribed = failed = pending = 0;
  if (few > 0) {
    grow(epoll, k, 0, few);
  }
  grow(epoll, k, few, number);
  for (int i = 0; i < number; i++) {
    close(clients[i].fd);
    clients[i].fd = -1;
  }
  usleep(LEAVE_MS * 1000);
}

int main(int argc, char **argv) {
  for (int option; (option = getopt(argc, argv, "n:g:r:k:t:p:x:u:P:s:a:H:")) != -1;) {
    switch (option) {
      case 'n': number = atoi(optarg); break;
      case 'g': few = atoi(optarg); break;
      case 'r': rate = atoi(optarg); break;
      case 'k': waves = atoi(optarg); break;
      case 't': topics = atoi(optarg); break;
      case 'p': port = atoi(optarg); break;
      case 'x': pid = atoi(optarg); break;
      case 'u': path = optarg; break;
      case 'P': subprotocol = optarg; break;
      case 's': frame = optarg; break;
      case 'H': stay = atoi(optarg); break;
      case 'a': answer = optarg; break;
      default: return 1;
    }
  }
  signal(SIGPIPE, SIG_IGN);
  setvbuf(stdout, 0, _IOLBF, 0);
  clients = calloc(number, sizeof *clients);
  int epoll = epoll_create1(0);
  puts("wave,clients,us_per_client,seconds,failed,resident_kib");
  for (int k = 1; k <= waves; k++) {
    wave(epoll, k);
  }
}
