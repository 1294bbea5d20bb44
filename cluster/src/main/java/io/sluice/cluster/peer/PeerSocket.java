package io.sluice.cluster.peer;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.ConnectException;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketTimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.net.ssl.SSLSocket;

/**
 * A connection to another node, which stands once both ends have shown who they are. For any
 * thread, but {@link #connect}.
 *
 * <p>It is no SSLSocket, whose handshake JGroups would begin by itself: without a limit, and
 * letting no other connection be made meanwhile.
 */
final class PeerSocket extends Socket {
  private static final int HANDSHAKE_MS = 4_000;

  private final Layer layer;
  private final UnresponsivePeers unresponsive;
  private final PeerListener listener;
  private final AtomicBoolean closing = new AtomicBoolean();

  /** Null until the connection stands, for then the handshake goes over this socket itself. */
  private volatile SSLSocket secured;

  /** Makes TLS of a connection that stands. */
  interface Layer {
    SSLSocket over(Socket plain) throws IOException;
  }

  PeerSocket(Layer layer, UnresponsivePeers unresponsive, PeerListener listener) {
    this.layer = layer;
    this.unresponsive = unresponsive;
    this.listener = listener;
  }

  @Override
  public void connect(SocketAddress address) throws IOException {
    connect(address, 0);
  }

  @Override
  public void connect(SocketAddress address, int timeoutMs) throws IOException {
    if (unresponsive.has(address)) {
      throw new ConnectException(address + " has not answered a moment ago");
    }
    try {
      super.connect(address, timeoutMs);
      secure();
    } catch (IOException e) {
      if (e instanceof SocketTimeoutException) {
        unresponsive.add(address);
        listener.onHanging(address);
      }
      super.close();
      throw e;
    }
  }

  private void secure() throws IOException {
    setSoTimeout(HANDSHAKE_MS);
    SSLSocket over = layer.over(this);
    over.startHandshake();
    setSoTimeout(0);
    secured = over;
  }

  @Override
  public InputStream getInputStream() throws IOException {
    SSLSocket over = secured;
    return over == null ? super.getInputStream() : over.getInputStream();
  }

  @Override
  public OutputStream getOutputStream() throws IOException {
    SSLSocket over = secured;
    return over == null ? super.getOutputStream() : over.getOutputStream();
  }

  /** TLS says farewell, and closes this once more. */
  @Override
  public void close() throws IOException {
    SSLSocket over = secured;
    if (over == null || !closing.compareAndSet(false, true)) {
      super.close();
    } else {
      over.close();
    }
  }
}
