package io.sluice.testkit;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;

/**
 * A link to a broker that can fall silent without breaking, as a dead entry of a NAT does it:
 * connections stay, new ones are taken, and no byte passes. Any thread may call it.
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

  /** Nothing passes from now on, nor over connections to come. */
  public void fallSilent() {
    silence(0, Integer.MAX_VALUE);
  }

  /** Nothing passes over the connections that are there, and never will; new ones work. */
  public synchronized void forgetConnections() {
    silence(0, connections);
  }

  /** Breaks all connections, and those to come, until it is mended. */
  public synchronized void cut() {
    cut = true;
    closeConnections();
  }

  /** New connections work again after {@link #cut}. */
  public synchronized void mend() {
    cut = false;
  }

  /** Nothing passes over one of the connections, counted from 0. */
  public void fallSilent(int connection) {
    silence(connection, connection + 1);
  }

  /** What was held back goes on its way. */
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
      // One end has closed it: the other end hears of it by the same.
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
