// tlsfloor: the bare cost of WebSocket fan-out over TLS, to hold a gateway's cost against. One thread; each message
// is framed once and encrypted for each subscriber by one SSL_write: one record and one system call. It publishes by
// itself and does nothing else: no broker, no sessions, no limits; a client whose socket is full misses frames.
//
//   cc -O2 -Wall -o tlsfloor tlsfloor.c -lssl -lcrypto        (Debian: libssl-dev)
//   tlsfloor PORT TOPICS MESSAGES_PER_SECOND_PER_TOPIC PAYLOAD_BYTES CERTIFICATE.pem KEY.pem
//
// TLS 1.3 with TLS_AES_128_GCM_SHA256. A client shakes hands at any path, then subscribes to topic T, counted from 0,
// with the masked text frame "SUB T ". A message is one text frame that begins with TS=<unix nanoseconds>.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/sha.h>
#include <openssl/ssl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

enum { MOST_CLIENTS = 65536, MOST_TOPICS = 10000, MOST_PAYLOAD = 65535, EVENTS = 256 };

typedef struct {
  SSL *ssl;
  int topic, place; // -1 before its subscription; where it stands among the topic's subscribers
  bool upgraded;
} client;

typedef struct {
  int *fds, count, room;
} audience;

static client clients[MOST_CLIENTS]; // by descriptor
static audience audiences[MOST_TOPICS];

static uint64_t now(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return t.tv_sec * 1000000000ull + t.tv_nsec;
}

static void die(const char *what) {
  perror(what);
  ERR_print_errors_fp(stderr);
  exit(1);
}

static void subscribe(int fd, int topic) {
  audience *a = &audiences[topic];
  if (a->count == a->room) a->fds = realloc(a->fds, (a->room = a->room ? 2 * a->room : 64) * sizeof *a->fds);
  clients[fd].topic = topic;
  clients[fd].place = a->count;
  a->fds[a->count++] = fd;
}

static void forget(int fd) {
  client *c = &clients[fd];
  if (c->topic >= 0) { // the last one takes its place
    audience *a = &audiences[c->topic];
    int last = a->fds[c->place] = a->fds[--a->count];
    clients[last].place = c->place;
  }
  SSL_free(c->ssl);
  close(fd);
}

static void accept_all(int listener, int ep, SSL_CTX *tls) {
  for (int fd, one = 1; (fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK)) >= 0;) {
    if (fd >= MOST_CLIENTS) die("too many clients");
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    clients[fd] = (client){.ssl = SSL_new(tls), .topic = -1};
    SSL_set_fd(clients[fd].ssl, fd);
    SSL_set_accept_state(clients[fd].ssl);
    epoll_ctl(ep, EPOLL_CTL_ADD, fd, &(struct epoll_event){.events = EPOLLIN, .data.fd = fd});
  }
}

static bool upgrade(client *c, const char *request) {
  const char *name = "Sec-WebSocket-Key: ", *key = strcasestr(request, name);
  char text[128], accept[64], answer[256];
  uint8_t digest[SHA_DIGEST_LENGTH];
  if (!key || sscanf(key + strlen(name), "%60s", text) != 1) return false;
  strcat(text, "258EAFA5-E914-47DA-95CA-C5AB0DC85B11");
  EVP_EncodeBlock((uint8_t *)accept, SHA1((uint8_t *)text, strlen(text), digest), sizeof digest);
  int length = sprintf(answer, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                               "Sec-WebSocket-Accept: %s\r\n\r\n", accept);
  return c->upgraded = SSL_write(c->ssl, answer, length) == length;
}

// False if the client is gone, or said what nobody here understands.
static bool on_readable(int fd, int topics) {
  client *c = &clients[fd];
  for (char in[4096];;) {
    ERR_clear_error();
    int n = SSL_read(c->ssl, in, sizeof in - 1); // ends the TLS handshake first
    if (n <= 0) return SSL_get_error(c->ssl, n) == SSL_ERROR_WANT_READ;
    in[n] = 0;
    bool asks = c->upgraded && c->topic < 0 && n > 10 && !memcmp(in + 6, "SUB ", 4); // a mask of zeros
    int topic = asks ? atoi(in + 10) : 0;
    if (topic < 0 || topic >= topics || (!c->upgraded && !upgrade(c, in))) return false;
    if (asks) subscribe(fd, topic);
  }
}

static void publish(int topic, int size) {
  static char frame[MOST_PAYLOAD + 10];
  int header = size < 126 ? 2 : 4;
  frame[0] = (char)0x81;
  frame[1] = header == 2 ? size : 126;
  if (header == 4) { frame[2] = size >> 8; frame[3] = size; }
  memset(frame + header, 'x', size);
  frame[header + sprintf(frame + header, "TS=%lu", (unsigned long)now(CLOCK_REALTIME))] = ' ';
  for (int i = 0; i < audiences[topic].count; i++) {
    ERR_clear_error(); // where the socket was full, this sends the rest of the frame that it did not take
    SSL_write(clients[audiences[topic].fds[i]].ssl, frame, header + size);
  }
}

int main(int argc, char **argv) {
  if (argc != 7) die("tlsfloor PORT TOPICS RATE BYTES CERTIFICATE KEY");
  int port = atoi(argv[1]), topics = atoi(argv[2]), rate = atoi(argv[3]), size = atoi(argv[4]), one = 1, topic = 0;
  if (topics < 1 || topics > MOST_TOPICS || rate < 1 || size < 32 || size > MOST_PAYLOAD) die("out of bounds");
  signal(SIGPIPE, SIG_IGN);
  SSL_CTX *tls = SSL_CTX_new(TLS_server_method());
  SSL_CTX_set_min_proto_version(tls, TLS1_3_VERSION);
  SSL_CTX_set_mode(tls, SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  if (!SSL_CTX_set_ciphersuites(tls, "TLS_AES_128_GCM_SHA256") || !SSL_CTX_use_certificate_chain_file(tls, argv[5])
      || SSL_CTX_use_PrivateKey_file(tls, argv[6], SSL_FILETYPE_PEM) != 1) die("TLS");
  int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), ep = epoll_create1(0);
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
  struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_ANY)};
  if (bind(listener, (void *)&at, sizeof at) || listen(listener, 4096)) die("listen");
  epoll_ctl(ep, EPOLL_CTL_ADD, listener, &(struct epoll_event){.events = EPOLLIN, .data.fd = listener});
  uint64_t period = 1000000000ull / rate / topics, next = now(CLOCK_MONOTONIC) + period;
  for (;;) {
    for (; now(CLOCK_MONOTONIC) >= next; next += period, topic = (topic + 1) % topics) publish(topic, size);
    uint64_t t = now(CLOCK_MONOTONIC);
    struct epoll_event events[EVENTS];
    int ready = epoll_pwait2(ep, events, EVENTS, &(struct timespec){0, next > t ? next - t : 0}, NULL);
    for (int i = 0; i < ready; i++) {
      int fd = events[i].data.fd;
      if (fd == listener) accept_all(listener, ep, tls);
      else if (!on_readable(fd, topics)) forget(fd);
    }
  }
}
