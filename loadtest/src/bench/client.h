// Sockets, requests and frames of the measuring clients in this folder, and the CPU time of a server's process.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

enum { IP_BIND_WITHOUT_PORT = 24, MAX_TEXT = 512 };

static inline uint64_t nanoseconds(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return now.tv_sec * 1000000000ull + now.tv_nsec;
}

static inline double seconds(void) { return nanoseconds(CLOCK_MONOTONIC) / 1e9; }

// Returns the user and system time of a process in seconds.
static inline double server_cpu(int pid) {
  char name[64], text[1024] = "";
  snprintf(name, sizeof name, "/proc/%d/stat", pid);
  FILE *file = fopen(name, "r");
  if (!file || !fread(text, 1, sizeof text - 1, file)) {
    perror(name);
    exit(1);
  }
  fclose(file);
  unsigned long user, system;
  sscanf(strrchr(text, ')') + 2, "%*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user, &system);
  return (double)(user + system) / sysconf(_SC_CLK_TCK);
}

// Returns the resident memory of a process in KiB.
static inline long server_memory(int pid) {
  char name[64];
  long pages = 0;
  snprintf(name, sizeof name, "/proc/%d/statm", pid);
  FILE *file = fopen(name, "r");
  if (!file || fscanf(file, "%*d %ld", &pages) != 1) {
    perror(name);
    exit(1);
  }
  fclose(file);
  return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

// Connects a socket, whose events carry i. Every 20,000 clients have another source address.
static inline int connect_client(int epoll, int i, int port) {
  int on = 1, fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  setsockopt(fd, IPPROTO_IP, IP_BIND_WITHOUT_PORT, &on, sizeof on);
  struct sockaddr_in from = {.sin_family = AF_INET, .sin_addr.s_addr = htonl((127u << 24) + 2 + i / 20000)};
  struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  struct epoll_event event = {.events = EPOLLIN | EPOLLOUT | EPOLLET, .data.u32 = i};
  if (fd < 0 || bind(fd, (void *)&from, sizeof from) ||
      (connect(fd, (void *)&to, sizeof to) && errno != EINPROGRESS) || epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event)) {
    perror("connect");
    exit(1);
  }
  return fd;
}

// Returns whether the request for a WebSocket was sent.
static inline int send_upgrade(int fd, int port, const char *path, const char *subprotocol) {
  char request[1024];
  int length = snprintf(request, sizeof request,
                        "GET %s HTTP/1.1\r\nHost: localhost:%d\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n%s%s%s\r\n",
                        path, port, *subprotocol ? "Sec-WebSocket-Protocol: " : "", subprotocol,
                        *subprotocol ? "\r\n" : "");
  return write(fd, request, length) == length;
}

// Replaces each occurrence of a mark in a text of MAX_TEXT bytes.
static inline void replace(char *text, const char *mark, const char *value) {
  char rest[MAX_TEXT];
  for (char *at; (at = strstr(text, mark));) {
    snprintf(rest, sizeof rest, "%s", at + strlen(mark));
    snprintf(at, MAX_TEXT - (at - text), "%s%s", value, rest);
  }
}

// Returns whether a text frame was sent. It is masked with zeros.
static inline int send_text(int fd, const char *text) {
  uint8_t bytes[8 + MAX_TEXT] = {0x81};
  size_t length = strlen(text), head = length < 126 ? 6 : 8;
  bytes[1] = 0x80 | (length < 126 ? length : 126);
  if (head == 8) {
    bytes[2] = length >> 8;
    bytes[3] = length;
  }
  memcpy(bytes + head, text, length);
  return write(fd, bytes, head + length) == (ssize_t)(head + length);
}
