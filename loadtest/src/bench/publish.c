// publish: constant rate of messages, in the form of "sluice feed", to NATS or Centrifugo. Peer of table.sh.
//
//   cc -O2 -Wall -o publish publish.c
//   publish nats|centrifugo PORT TOPICS RATE BYTES
//
// RATE is messages per second and topic. Centrifugo is called at /api/publish, which must not require a key.
#include "client.h"

#include <signal.h>

static char padding[65536];

static int compose(char *to, int size, int centrifugo, int topic, int bytes) {
  char stamp[40];
  int length = snprintf(stamp, sizeof stamp, "TS=%llu ", (unsigned long long)nanoseconds(CLOCK_REALTIME));
  if (!centrifugo) {
    return snprintf(to, size, "PUB stocks.%d %d\r\n%s%.*s\r\n", topic, bytes, stamp, bytes - length, padding);
  }
  char body[66000];
  int body_length = snprintf(body, sizeof body, "{\"channel\":\"stocks.%d\",\"data\":\"%s%.*s\"}", topic, stamp,
                             bytes - length, padding);
  return snprintf(to, size, "POST /api/publish HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n%s", body_length,
                  body);
}

static void send_all(int fd, const char *from, int length) {
  for (ssize_t sent; length > 0; from += sent, length -= sent) {
    if ((sent = write(fd, from, length)) <= 0) {
      perror("write");
      exit(1);
    }
  }
}

// Discards the responses, and answers the heartbeats of NATS.
static void receive(int fd, int centrifugo) {
  char bytes[65536];
  ssize_t length = recv(fd, bytes, sizeof bytes, MSG_DONTWAIT);
  if (length == 0) {
    fprintf(stderr, "the server closed the connection\n");
    exit(1);
  }
  if (!centrifugo && length > 0 && memmem(bytes, length, "PING\r\n", 6)) {
    send_all(fd, "PONG\r\n", 6);
  }
}

int main(int argc, char **argv) {
  if (argc != 6) {
    return 1;
  }
  int centrifugo = !strcmp(argv[1], "centrifugo"), topics = atoi(argv[3]), bytes = atoi(argv[5]), on = 1;
  double rate = atof(argv[4]) * topics;
  struct sockaddr_in to = {
      .sin_family = AF_INET, .sin_port = htons(atoi(argv[2])), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  int fd = socket(AF_INET, SOCK_STREAM, 0);
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  if (bytes >= (int)sizeof padding || connect(fd, (void *)&to, sizeof to)) {
    perror("connect");
    return 1;
  }
  memset(padding, 'x', sizeof padding - 1);
  if (!centrifugo) {
    send_all(fd, "CONNECT {\"verbose\":false}\r\n", 27);
  }
  static char text[70000];
  double start = seconds();
  for (long published = 0;;) {
    for (; published < (seconds() - start) * rate; published++) {
      send_all(fd, text, compose(text, sizeof text, centrifugo, published % topics, bytes));
    }
    receive(fd, centrifugo);
    usleep(500);
  }
}
