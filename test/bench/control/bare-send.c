/*
 * The floor: what the kernel alone asks for sending a frame to every connection. It accepts TCP connections, answers
 * anything that looks like an HTTP request with a fixed upgrade, and for each line on standard input frames that line
 * once and hands it to every connection with one send(). No protocol, no buffers, no state beyond a table of sockets.
 *
 * Arguments: port. Ends when standard input ends.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#define MOST 65536
#define LINE 65536
#define EVENTS 256

static const char REPLY[] =
    "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n";

/* 0: not connected, 1: connected, 2: upgraded */
static char state[MOST];
static int highest;
static int poller;

static void watch(int fd) {
  struct epoll_event event = {.events = EPOLLIN, .data = {.fd = fd}};
  epoll_ctl(poller, EPOLL_CTL_ADD, fd, &event);
}

static void take(int listener) {
  for (;;) {
    int fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK);
    if (fd < 0) return;
    if (fd >= MOST) {
      close(fd);
      continue;
    }
    int on = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    state[fd] = 1;
    if (fd > highest) highest = fd;
    watch(fd);
  }
}

static void hear(int fd) {
  char bytes[4096];
  ssize_t length = recv(fd, bytes, sizeof bytes, 0);
  if (length < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (length <= 0) {
    state[fd] = 0;
    close(fd);
    return;
  }
  if (state[fd] != 1 || length < 4 || memcmp(bytes + length - 4, "\r\n\r\n", 4) != 0) return;
  state[fd] = 2;
  send(fd, REPLY, sizeof REPLY - 1, MSG_DONTWAIT | MSG_NOSIGNAL);
}

static void tell(const char *line, size_t length) {
  static char frame[LINE + 4];
  size_t head = length < 126 ? 2 : 4;
  frame[0] = (char)0x81;
  frame[1] = (char)(length < 126 ? length : 126);
  if (head == 4) {
    frame[2] = (char)(length >> 8);
    frame[3] = (char)(length & 0xff);
  }
  memcpy(frame + head, line, length);
  for (int fd = 0; fd <= highest; fd++)
    if (state[fd] == 2) send(fd, frame, head + length, MSG_DONTWAIT | MSG_NOSIGNAL);
}

/* Lines are far shorter than the buffer, and our own bench writes them. */
static void read_lines(void) {
  static char bytes[LINE];
  static size_t held;
  ssize_t length = read(0, bytes + held, sizeof bytes - held);
  if (length <= 0) exit(0);
  held += (size_t)length;
  char *start = bytes, *end;
  while ((end = memchr(start, '\n', held - (size_t)(start - bytes)))) {
    tell(start, (size_t)(end - start));
    start = end + 1;
  }
  held -= (size_t)(start - bytes);
  memmove(bytes, start, held);
}

int main(int argc, char **argv) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(argc > 1 ? atoi(argv[1]) : 0)};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), on = 1;
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (bind(listener, (struct sockaddr *)&address, sizeof address) != 0 || listen(listener, 511) != 0) return 1;
  poller = epoll_create1(0);
  watch(listener);
  watch(0);
  struct epoll_event events[EVENTS];
  for (;;) {
    int count = epoll_wait(poller, events, EVENTS, -1);
    for (int index = 0; index < count; index++) {
      int fd = events[index].data.fd;
      if (fd == listener) take(listener);
      else if (fd == 0) read_lines();
      else hear(fd);
    }
  }
}
