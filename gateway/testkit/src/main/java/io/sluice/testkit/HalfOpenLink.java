package io.sluice.testkit;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;

/**
 * Link to a broker that can block all bytes without closing connections, as an expired NAT entry
 * does. Existing connections remain and new ones are accepted. For any thread.
 */
public final class HalfOpenLink extends BrokerLink {
  private int connections;
  private int silentFrom;
  private int silentBefore;
  private boolean cut;
  private boolean closed;

  /** Opens a link to the broker at {@code brokerUrl}. */
  public HalfOpenLink(String brokerUrl) {
    super("half-open-link", brokerUrl);
    open();
  }

  /** Blocks all bytes, also on new connections. */
  public void fallSilent() {
    silence(0, Integer.MAX_VALUE);
  }

  /** Blocks all bytes on existing connections; new ones work. */
  public synchronized void forgetConnections() {
    silence(0, connections);
  }

  /** Closes all connections, also new ones, until {@link #mend}. */
  public synchronized void cut() {
    cut = true;
    closeConnections();
  }

  /** Accepts new connections again after {@link #cut}. */
  public synchronized void mend() {
    cut = false;
  }

  /** Blocks all bytes on one connection, counted from 0. */
  public void fallSilent(int connection) {
    silence(connection, connection + 1);
  }

  /** Unblocks all connections and forwards the buffered bytes. */
  public void speakAgain() {
    silence(0, 0);
  }

  private synchronized void silence(int from, int before) {
    silentFrom = from;
    silentBefore = before;
    notifyAll();
  }

  private synchronized boolean awaitSpeech(int connection) throws InterruptedException {
    while (silentFrom <= connection && connection < silentBefore && !closed) {
      wait();
    }
    return !closed;
  }

  private synchronized int nextConnection(Socket node, Socket far) {
    if (cut) {
      closeNow(node);
      closeNow(far);
    }
    return connections++;
  }

  @Override
  void relay(Socket node, Socket far) {
    int connection = nextConnection(node, far);
    start(() -> relay(connection, node, far));
    start(() -> relay(connection, far, node));
  }

  private void relay(int connection, Socket from, Socket to) {
    byte[] bytes = new byte[8192];
    try (from;
        to) {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      for (int n = in.read(bytes); n >= 0 && awaitSpeech(connection); n = in.read(bytes)) {
        out.write(bytes, 0, n);
      }
    } catch (IOException e) {
      // One end closed the connection; try-with-resources closes the other end.
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Override
  public void close() {
    synchronized (this) {
      closed = true;
      notifyAll();
    }
    super.close();
  }
}
