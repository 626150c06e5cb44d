/*
 * As many subscribers as one process may have descriptors, each of them a socket and twenty bytes. A message is compared
 * with those seen before, so that a subscriber is a pointer to the newest one that it holds, and nothing is parsed. Its
 * output is a handful of messages and how many subscribers hold each.
 *
 * It looks for frames every few milliseconds instead of being woken by each: on one machine the sender would pay for waking
 * it. Latencies are longer by up to that much.
 *
 * Arguments: local address, path, port (further ports follow; connections are spread over them).
 * Commands, one a line on standard input, each answered on standard output:
 *   o COUNT   opens so many more; answered with their number once all are upgraded, or after four
 *   t         "open closed frames bytes"
 *   f         forgets what was seen so far, but not what is held
 *   m         three lines for each message seen or held: "held firstMs", the message, and how many came in each millisecond
 *             since firstMs, of CLOCK_MONOTONIC; an empty line ends them
 * Ends when standard input ends.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define MOST 20000
#define EVENTS 1024
#define BUFFER 65536
#define MESSAGES 4096
#define PORTS 64
/* Handshakes at a time; the kernel's queue of a listening socket takes 511, and there are several of us. */
#define HANDSHAKES 48
#define NAP_MS 3
#define OPEN_PATIENCE_MS 240000.0

struct message {
  char *text;
  size_t length;
  double first_ms;
  int held;
  int *each_ms;
  int widths;
};

struct socket_state {
  enum { FREE, DIALLING, OPEN } phase;
  struct message *newest;
  char *rest;
  size_t rest_length;
};

static struct socket_state sockets[MOST];
static struct message messages[MESSAGES];
static int message_count, poller, handshakes, wanted, dialled, open_now, closed;
static long long frames, bytes_in;
static double asked_ms;
static char request[2048];
static struct sockaddr_in local = {.sin_family = AF_INET}, servers[PORTS];
static int server_count;

static double now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static void fail(const char *why) {
  perror(why);
  exit(1);
}

static void dial(void) {
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), on = 1;
  if (fd < 0 || fd >= MOST) fail("socket");
  /* The port is chosen when the other end is known: one address has 28,000 of them for each. */
  setsockopt(fd, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &on, sizeof on);
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  if (bind(fd, (struct sockaddr *)&local, sizeof local) != 0) fail("bind");
  struct sockaddr_in *server = &servers[dialled++ % server_count];
  if (connect(fd, (struct sockaddr *)server, sizeof *server) != 0 && errno != EINPROGRESS) fail("connect");
  sockets[fd] = (struct socket_state){.phase = DIALLING};
  struct epoll_event event = {.events = EPOLLIN | EPOLLOUT, .data = {.fd = fd}};
  epoll_ctl(poller, EPOLL_CTL_ADD, fd, &event);
  handshakes++;
}

static void dial_more(void) {
  while (handshakes < HANDSHAKES && open_now + handshakes < wanted) dial();
}

static void drop(int fd) {
  struct socket_state *state = &sockets[fd];
  if (state->phase == OPEN) {
    open_now--;
    closed++;
    wanted--;
  } else handshakes--;
  if (state->newest) state->newest->held--;
  free(state->rest);
  *state = (struct socket_state){.phase = FREE};
  close(fd);
}

static struct message *find_message(const char *text, size_t length) {
  for (int index = message_count - 1; index >= 0; index--)
    if (messages[index].length == length && memcmp(messages[index].text, text, length) == 0) return &messages[index];
  if (message_count == MESSAGES) fail("too many different messages");
  struct message *message = &messages[message_count++];
  *message = (struct message){.text = malloc(length), .length = length};
  memcpy(message->text, text, length);
  return message;
}

static void note(struct message *message, double ms) {
  if (message->widths == 0) message->first_ms = ms;
  int width = (int)(ms - message->first_ms);
  if (width >= message->widths) {
    int widths = width + 64;
    message->each_ms = realloc(message->each_ms, (size_t)widths * sizeof(int));
    memset(message->each_ms + message->widths, 0, (size_t)(widths - message->widths) * sizeof(int));
    message->widths = widths;
  }
  message->each_ms[width]++;
}

static void take_message(struct socket_state *state, const char *text, size_t length) {
  struct message *message = state->newest;
  if (!message || message->length != length || memcmp(message->text, text, length) != 0)
    message = find_message(text, length);
  if (state->newest) state->newest->held--;
  message->held++;
  state->newest = message;
  note(message, now_ms());
  frames++;
}

/* Masked with zeros, as the protocol allows. */
static void pong(int fd, const char *payload, size_t length) {
  char frame[131] = {(char)0x8a, (char)(0x80 | length)};
  memcpy(frame + 6, payload, length);
  send(fd, frame, 6 + length, MSG_DONTWAIT | MSG_NOSIGNAL);
}

/* Returns how far the bytes were complete frames, or -1 where the other side says farewell. */
static ssize_t read_frames(int fd, const char *bytes, size_t end) {
  size_t at = 0;
  while (end - at >= 2) {
    size_t head = 2, length = bytes[at + 1] & 0x7f;
    int opcode = bytes[at] & 0x0f;
    if (length == 126) {
      head = 4;
      if (end - at < head) break;
      length = (size_t)(unsigned char)bytes[at + 2] << 8 | (unsigned char)bytes[at + 3];
    }
    if (end - at < head + length) break;
    if (opcode == 8) return -1;
    if (opcode == 9 && length < 126) pong(fd, bytes + at + head, length);
    if (opcode <= 2) take_message(&sockets[fd], bytes + at + head, length);
    at += head + length;
  }
  return (ssize_t)at;
}

static ssize_t read_upgrade(int fd, const char *bytes, size_t length) {
  const char *end = memmem(bytes, length, "\r\n\r\n", 4);
  if (!end) return 0;
  if (length < 12 || memcmp(bytes + 9, "101", 3) != 0) return -1;
  sockets[fd].phase = OPEN;
  handshakes--;
  open_now++;
  return end + 4 - bytes;
}

static void hear(int fd) {
  static char buffer[2 * BUFFER];
  struct socket_state *state = &sockets[fd];
  size_t held = state->rest_length;
  if (held) memcpy(buffer, state->rest, held);
  ssize_t got = recv(fd, buffer + held, BUFFER, 0);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (got <= 0) return drop(fd);
  bytes_in += got;
  size_t length = held + (size_t)got;
  ssize_t taken = state->phase == OPEN ? 0 : read_upgrade(fd, buffer, length);
  if (taken >= 0 && state->phase == OPEN) {
    ssize_t more = read_frames(fd, buffer + taken, length - (size_t)taken);
    taken = more < 0 ? more : taken + more;
  }
  if (taken < 0) return drop(fd);
  free(state->rest);
  state->rest = NULL;
  state->rest_length = length - (size_t)taken;
  if (state->rest_length) {
    state->rest = malloc(state->rest_length);
    memcpy(state->rest, buffer + taken, state->rest_length);
  }
}

static void connected(int fd) {
  struct epoll_event event = {.events = EPOLLIN, .data = {.fd = fd}};
  epoll_ctl(poller, EPOLL_CTL_MOD, fd, &event);
  if (send(fd, request, strlen(request), MSG_NOSIGNAL) < 0) drop(fd);
}

static void say_messages(void) {
  for (int index = 0; index < message_count; index++) {
    struct message *message = &messages[index];
    if (message->held == 0 && message->widths == 0) continue;
    printf("%d %.3f\n", message->held, message->first_ms);
    fwrite(message->text, 1, message->length, stdout);
    putchar('\n');
    for (int width = 0; width < message->widths; width++) printf(" %d", message->each_ms[width]);
    putchar('\n');
  }
  putchar('\n');
}

static void forget(void) {
  for (int index = 0; index < message_count; index++) {
    free(messages[index].each_ms);
    messages[index].each_ms = NULL;
    messages[index].widths = 0;
  }
  frames = bytes_in = 0;
  puts("forgotten");
}

static void obey(const char *line) {
  if (line[0] == 'o') {
    wanted += atoi(line + 1);
    asked_ms = now_ms();
    dial_more();
  } else if (line[0] == 't') printf("%d %d %lld %lld\n", open_now, closed, frames, bytes_in);
  else if (line[0] == 'm') say_messages();
  else if (line[0] == 'f') forget();
  fflush(stdout);
}

static void answer_open(void) {
  if (asked_ms == 0 || (open_now < wanted && now_ms() - asked_ms < OPEN_PATIENCE_MS)) return;
  asked_ms = 0;
  printf("%d\n", open_now);
  fflush(stdout);
}

static void read_commands(void) {
  static char line[256];
  static size_t length;
  ssize_t got = read(0, line + length, sizeof line - 1 - length);
  if (got <= 0) exit(0);
  length += (size_t)got;
  line[length] = 0;
  char *end;
  while ((end = memchr(line, '\n', length))) {
    *end = 0;
    obey(line);
    length -= (size_t)(end + 1 - line);
    memmove(line, end + 1, length);
  }
}

int main(int argc, char **argv) {
  if (argc < 4 || argc - 3 > PORTS) return 2;
  inet_pton(AF_INET, argv[1], &local.sin_addr);
  for (; server_count < argc - 3; server_count++) {
    servers[server_count].sin_family = AF_INET;
    servers[server_count].sin_port = htons((unsigned short)atoi(argv[3 + server_count]));
    servers[server_count].sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  }
  snprintf(request, sizeof request,
           "GET %s HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
           "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n",
           argv[2]);
  poller = epoll_create1(0);
  struct epoll_event standard_input = {.events = EPOLLIN, .data = {.fd = 0}}, events[EVENTS];
  epoll_ctl(poller, EPOLL_CTL_ADD, 0, &standard_input);
  struct timespec nap = {.tv_nsec = NAP_MS * 1000000};
  for (;;) {
    int count = epoll_wait(poller, events, EVENTS, 0);
    if (count < EVENTS) nanosleep(&nap, NULL);
    for (int index = 0; index < count; index++) {
      int fd = events[index].data.fd;
      if (fd == 0) read_commands();
      else if (sockets[fd].phase == DIALLING && events[index].events & EPOLLOUT) connected(fd);
      else if (sockets[fd].phase != FREE) hear(fd);
    }
    /* Refused connections are dialled again. */
    dial_more();
    answer_open();
  }
}
