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
 * Socket to another node with mutual TLS authentication. For any thread, except {@link #connect}.
 *
 * <p>It does not extend SSLSocket: JGroups would start its handshake without a timeout, and block
 * all other connections during it.
 */
final class PeerSocket extends Socket {
  private static final int HANDSHAKE_MS = 4_000;

  private final Layer layer;
  private final UnresponsivePeers unresponsive;
  private final PeerListener listener;
  private final AtomicBoolean closing = new AtomicBoolean();

  /** Null until the handshake, which uses this socket itself, has completed. */
  private volatile SSLSocket secured;

  /** Factory of a TLS layer over a connected socket. */
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
      throw new ConnectException(address + " did not respond recently");
    }
    try {
      super.connect(address, timeoutMs);
      secure();
    } catch (IOException e) {
      if (e instanceof SocketTimeoutException) {
        unresponsive.add(address);
        listener.onUnresponsive(address);
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

  /** Closes the TLS layer, which sends its close alert and calls this method again. */
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
