package io.sluice.gateway.socket;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import io.vertx.core.AsyncResult;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import java.util.ArrayDeque;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Client socket on a stream of an HTTP/2 connection, which stays with Vert.x: the body of the
 * response. Bound to the connection's event loop, except {@link #execute}.
 *
 * <p>Vert.x queues what exceeds the client's window. It receives no more than its high-water mark;
 * further buffers wait here, where they can be discarded.
 */
final class ResponseSocket implements ClientSocket {
  /** Error code of a stream that the server ends early: RFC 9113, section 7. */
  private static final long CANCEL = 8;

  private static final String HEAD_END = "\r\n\r\n";
  private static final int VERSION_LENGTH = "HTTP/1.1 ".length();
  private static final int STATUS_DIGITS = 3;

  private final HttpServerResponse response;
  private final EventLoop loop;
  private final Owner owner;

  /** Copies behind those that Vert.x has. */
  private final ArrayDeque<Buffer> waiting = new ArrayDeque<>(2);

  private long waitingBytes;

  /** Bytes that Vert.x has and the client's window does not admit yet. */
  private long queuedBytes;

  private long progressMs = nowMs();
  private boolean hasHead;
  private boolean finishing;
  private boolean ended;
  private boolean closed;

  private ResponseSocket(HttpServerRequest request, EventLoop loop, Owner owner) {
    this.response = request.response();
    this.loop = loop;
    this.owner = owner;
    response.exceptionHandler(reset -> onClosed());
    response.closeHandler(gone -> onClosed());
    response.drainHandler(writable -> drain());
  }

  /**
   * Sends the head of a response whose body is the socket of {@code owner}.
   *
   * @param status such as {@code 200 OK}; empty: the owner's first bytes are the head of HTTP/1.1
   * @return false, without an effect, if the stream has already ended
   */
  static boolean open(
      HttpServerRequest request,
      EventLoop loop,
      String status,
      Map<String, String> headers,
      Owner owner) {
    if (request.response().closed()) {
      return false;
    }
    ResponseSocket socket = new ResponseSocket(request, loop, owner);
    if (!status.isEmpty()) {
      headers.forEach(socket::putHeader);
      socket.writeHead(status.substring(0, STATUS_DIGITS));
    }
    owner.onOpen(socket);
    return true;
  }

  // RFC 9113, section 8.2.2: a connection belongs to all streams.
  private void putHeader(String name, String value) {
    if (!name.equalsIgnoreCase("Connection")) {
      response.putHeader(name, value);
    }
  }

  private void writeHead(String status) {
    hasHead = true;
    response.setStatusCode(Integer.parseInt(status)).writeHead();
  }

  /** Writes the head, which the owner has encoded, and returns the index behind it. */
  private int takeHead(ByteBuf bytes) {
    String text = bytes.toString(ISO_8859_1);
    int end = text.indexOf(HEAD_END);
    String[] lines = text.substring(0, end).split("\r\n");
    for (int i = 1; i < lines.length; i++) {
      int colon = lines[i].indexOf(':');
      putHeader(lines[i].substring(0, colon), lines[i].substring(colon + 1).strip());
    }
    writeHead(lines[0].substring(VERSION_LENGTH, VERSION_LENGTH + STATUS_DIGITS));
    return bytes.readerIndex() + end + HEAD_END.length();
  }

  @Override
  public void write(ByteBuf bytes) {
    if (!closed && !finishing && bytes.isReadable()) {
      queue(bytes);
    }
  }

  // The buffer is borrowed, and its bytes may wait for the client's window.
  private void queue(ByteBuf bytes) {
    int start = hasHead ? bytes.readerIndex() : takeHead(bytes);
    byte[] copy = new byte[bytes.writerIndex() - start];
    bytes.getBytes(start, copy);
    waiting.add(Buffer.buffer(copy));
    waitingBytes += copy.length;
  }

  @Override
  public void flush() {
    drain();
  }

  @Override
  public void flushInBatch() {
    drain();
  }

  private void drain() {
    while (!closed && !waiting.isEmpty() && !response.writeQueueFull()) {
      Buffer next = waiting.poll();
      int bytes = next.length();
      waitingBytes -= bytes;
      queuedBytes += bytes;
      response.write(next).onComplete(sent -> onSent(bytes));
    }
    if (!closed && finishing && !ended && waiting.isEmpty()) {
      ended = true;
      response.end().onComplete(this::onEnded);
    }
  }

  private static long nowMs() {
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
  }

  private void onSent(int bytes) {
    queuedBytes -= bytes;
    progressMs = nowMs();
  }

  // A client has nothing to close: a stream ends with the response.
  private void onEnded(AsyncResult<Void> sent) {
    if (!closed) {
      owner.onFinished(false);
      onClosed();
    }
  }

  @Override
  public long pendingBytes() {
    return waitingBytes + queuedBytes;
  }

  @Override
  public void finish(ByteBuf last) {
    if (!closed && !finishing) {
      write(last);
      finishing = true;
      drain();
    }
  }

  @Override
  public void finishEarly(ByteBuf last) {
    discardWaiting();
    finish(last);
  }

  private void discardWaiting() {
    waiting.clear();
    waitingBytes = 0;
  }

  // The event loop reads all connections in each round.
  @Override
  public boolean readReceived() {
    return !closed;
  }

  @Override
  public SendProgress progress(long withinMs) {
    if (pendingBytes() == 0) {
      return SendProgress.NONE;
    }
    boolean advances = nowMs() - progressMs < withinMs;
    return advances ? SendProgress.ADVANCING : SendProgress.STALLED;
  }

  @Override
  public void abort() {
    discardWaiting();
    finishing = true; // accepts no more bytes
    ended = true;
    execute(this::close);
  }

  @Override
  public void close() {
    if (!closed) {
      response.reset(CANCEL);
      onClosed();
    }
  }

  private void onClosed() {
    if (!closed) {
      closed = true;
      discardWaiting();
      owner.onClosed();
    }
  }

  @Override
  public void execute(Runnable task) {
    loop.execute(task);
  }
}
