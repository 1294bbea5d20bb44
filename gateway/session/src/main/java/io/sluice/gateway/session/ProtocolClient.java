package io.sluice.gateway.session;

import io.netty.buffer.ByteBuf;
import io.sluice.gateway.auth.Credential;
import io.sluice.gateway.auth.Peer;
import io.sluice.gateway.protocol.ClientFrame;
import io.sluice.gateway.protocol.Encoding;
import io.sluice.gateway.query.ClientView;
import io.sluice.gateway.query.PermissionLoss;
import io.sluice.gateway.websocket.CloseCode;
import io.sluice.gateway.websocket.WebSocketFrame;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import java.util.function.Predicate;

/**
 * Client of an open protocol: translates between the client and an ordinary session. Permissions,
 * quotas, metrics, audit, drain and queries are those of the session. Bound to the event loop of
 * its connection.
 *
 * <p>Subclasses parse the input into {@link ClientFrame}s. Messages of subscriptions arrive in the
 * format of the protocol and pass unchanged; all other frames of the session arrive as JSON
 * (docs/PROTOCOL.md, section 4).
 */
public abstract class ProtocolClient implements ConnectionListener {
  private static final int BRACE = '{';

  /** The client's connection. */
  protected final Connection connection;

  /** The client's event loop. */
  protected final ProtocolContext loop;

  /** Null until the client has connected by its protocol. */
  private Session session;

  private boolean closed;

  /** Time at which the draining node closes the connection, or 0 if it does not drain. */
  private long drainDeadlineMs;

  /** Redirect target of the drain, or null. */
  private String drainUrl;

  /** Creates a client without a session. */
  protected ProtocolClient(ProtocolContext loop, Connection connection) {
    this.loop = loop;
    this.connection = connection;
  }

  /**
   * Opens the session; its first frame is {@code hello} or an error. To be called once.
   *
   * @param credential of the client, or null
   * @param connect the first frame of the session
   */
  protected final void open(Encoding encoding, Credential credential, ClientFrame.Connect connect) {
    session = loop.newSession(new Translated(), encoding, credential);
    session.onFrame(connect, 0);
    if (drainDeadlineMs != 0) {
      session.onDraining(drainDeadlineMs, drainUrl);
    }
  }

  /**
   * Passes a frame to the session, which has been opened. Not to be called within {@link #onFrame},
   * but {@link #later}.
   *
   * @param bytes length of the client's input for it
   */
  protected final void give(ClientFrame frame, long bytes) {
    connection.charge(1);
    if (!session.isClosing()) {
      session.onFrame(frame, bytes);
    }
  }

  /**
   * Publishes a message when the connection ends or later, also while the session closes. Without
   * effect before {@code hello}, and if the credential has expired or is revoked by now.
   */
  protected final void publishLast(ClientFrame.Publish message) {
    if (session != null && session.renewGrant()) {
      session.onOpenFrame(message);
    }
  }

  /** Returns whether the session was opened and accepts frames, perhaps before authentication. */
  protected final boolean hasSession() {
    return session != null && !session.isClosing();
  }

  /** Returns whether the session or the connection ends. */
  protected final boolean isClosing() {
    return closed || session != null && session.isClosing();
  }

  /** Returns the subject of the client, known after {@code hello}. */
  protected final ClientIdentity identity() {
    return session.client();
  }

  /**
   * Processes a frame of the session other than a message of a subscription.
   *
   * @param type such as {@code subscribed}
   */
  protected abstract void onFrame(String type, JsonObject frame);

  /**
   * Sends messages of subscriptions, which are borrowed until the end of the batch. Subscribing and
   * unsubscribing is not allowed here, but {@link #later}.
   */
  protected void onMessages(ByteBuf messages) {
    connection.write(messages);
  }

  /** Returns the bytes of messages that wait here, in addition to those of the connection. */
  protected long waitingBytes() {
    return 0;
  }

  /**
   * Ends the connection for the session: with its last frames, which {@link #sendLast} sends, then
   * {@code connection.close}.
   */
  protected void onClosing(CloseCode code) {
    connection.close(code);
  }

  /** Releases what the client uses: the connection is closed. */
  protected void onEnd() {}

  /**
   * Sends bytes of the protocol within the client's limit of pending bytes, and takes ownership.
   * The first byte behind a WebSocket header is not an opening brace.
   */
  protected final void send(ByteBuf bytes) {
    if (hasSession()) {
      session.send(bytes);
    } else {
      sendLast(bytes);
    }
  }

  /** Sends bytes also if the session is closing or does not exist; takes ownership. */
  protected final void sendLast(ByteBuf bytes) {
    try {
      connection.write(bytes);
      connection.flush();
    } finally {
      bytes.release();
    }
  }

  /** Ends the session, or the connection if there is no session. */
  protected final void close(CloseCode code) {
    if (session == null) {
      onClosing(code);
    } else if (!session.isClosing()) {
      session.close(code);
    }
  }

  /** Runs a task soon, unless the client disconnects before. */
  protected final void later(Runnable task) {
    connection.execute(
        () -> {
          if (!isClosing()) {
            task.run();
          }
        });
  }

  /** Runs a task after a time, unless the client has disconnected. */
  protected final void executeLater(Runnable task, long delayMs) {
    loop.executeLater(
        () -> {
          if (!isClosing()) {
            task.run();
          }
        },
        delayMs);
  }

  /** Ignores input: a protocol of HTTP requests has none behind the request. */
  @Override
  public void onText(ByteBuf payload) {}

  /** Ignores input: see {@link #onText}. */
  @Override
  public void onBinary(ByteBuf payload) {}

  @Override
  public void onInputEnd() {
    if (session != null) {
      session.onInputEnd();
    }
  }

  @Override
  public void onClosedByClient(int code) {
    if (session != null) {
      session.onClosedByClient(code);
    }
  }

  @Override
  public final boolean closes(CloseCode code) {
    boolean isOpen = !isClosing();
    if (isOpen) {
      close(code);
    }
    return isOpen;
  }

  @Override
  public final void onClosed() {
    closed = true;
    try {
      onEnd();
    } finally {
      if (session != null) {
        session.onClosed();
      }
    }
  }

  @Override
  public final String sessionId() {
    return session == null ? "" : session.sessionId();
  }

  @Override
  public final boolean isOpen() {
    return session != null && session.isOpen();
  }

  @Override
  public final CloseCode expiryCode() {
    return session == null ? null : session.expiryCode();
  }

  @Override
  public final boolean onRevoked(Predicate<Peer> revoked) {
    return session != null && session.onRevoked(revoked);
  }

  @Override
  public final boolean onReload() {
    return session != null && session.onReload();
  }

  @Override
  public final PermissionLoss loss(SessionPolicy next) {
    return session == null ? null : session.loss(next);
  }

  @Override
  public final ClientView view() {
    return session == null ? null : session.view();
  }

  @Override
  public void onPing() {
    if (session != null) {
      session.onPing();
    }
  }

  @Override
  public final void onDraining(long deadlineMs, String url) {
    if (session == null) {
      drainDeadlineMs = deadlineMs;
      drainUrl = url;
    } else {
      session.onDraining(deadlineMs, url);
    }
  }

  @Override
  public final boolean isMovable(RedirectReason reason) {
    return session != null && session.isMovable(reason);
  }

  @Override
  public final void onRedirect(String url, RedirectReason reason) {
    session.onRedirect(url, reason);
  }

  private void translate(ByteBuf frames) {
    int at = frames.readerIndex();
    while (at < frames.writerIndex()) {
      ByteBuf frame = frames.slice(at, frames.writerIndex() - at);
      int head = WebSocketFrame.headerBytesOf(frame);
      int length = WebSocketFrame.payloadBytesOf(frame);
      byte[] json = new byte[length];
      frame.getBytes(head, json);
      JsonObject parsed = new JsonObject(Buffer.buffer(json));
      onFrame(parsed.getString("type"), parsed);
      at += head + length;
    }
  }

  /** Connection as the session uses it. */
  private final class Translated extends ForwardingConnection {
    Translated() {
      super(ProtocolClient.this.connection);
    }

    @Override
    public void write(ByteBuf frames) {
      if (isJson(frames)) {
        translate(frames);
      } else {
        onMessages(frames);
      }
    }

    private boolean isJson(ByteBuf frames) {
      if (!frames.isReadable()) {
        return false;
      }
      int start = frames.readerIndex();
      boolean isText = (frames.getByte(start) & 0xFF) == (0x80 | WebSocketFrame.TEXT);
      return isText && frames.getByte(start + WebSocketFrame.headerBytesOf(frames)) == BRACE;
    }

    @Override
    public long pendingBytes() {
      return connection.pendingBytes() + waitingBytes();
    }

    @Override
    public void close(CloseCode code) {
      onClosing(code);
    }
  }
}
