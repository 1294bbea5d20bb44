package io.sluice.gateway.multicast;

import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;

/** Address of a multicast group. Immutable, for any thread. */
record GroupAddress(String host, int port) {
  /** Reads an address such as 239.8.8.1:9444. */
  static GroupAddress of(String text) {
    int colon = text.lastIndexOf(':');
    return new GroupAddress(text.substring(0, colon), Integer.parseInt(text.substring(colon + 1)));
  }

  /**
   * Returns the address of the interface by which this node reaches the group.
   *
   * @param host address of the port for links
   * @throws IOException if there is none
   */
  String local(String host) throws IOException {
    InetAddress bound = InetAddress.getByName(host);
    if (!bound.isAnyLocalAddress()) {
      requireMulticast(bound);
      return bound.getHostAddress();
    }
    try (DatagramSocket socket = new DatagramSocket()) {
      socket.connect(new InetSocketAddress(InetAddress.getByName(this.host), port));
      InetAddress local = socket.getLocalAddress();
      if (local.isAnyLocalAddress()) {
        throw new IOException("there is no route to it");
      }
      requireMulticast(local);
      return local.getHostAddress();
    } catch (java.io.UncheckedIOException e) {
      throw new IOException("there is no route to it", e);
    }
  }

  // The loopback interface works without its flag.
  private static void requireMulticast(InetAddress local) throws IOException {
    NetworkInterface card = NetworkInterface.getByInetAddress(local);
    if (card == null) {
      throw new IOException("no interface has the address " + local.getHostAddress());
    }
    if (!card.supportsMulticast() && !card.isLoopback()) {
      throw new IOException("interface " + card.getName() + " has no multicast");
    }
  }

  /** Returns Aeron's channel of the sender: no receiver slows others, see ADR 47. */
  String sender(String local, int session) {
    return receiver(local, session) + "|fc=max|term-length=" + GroupTransport.TERM_BYTES;
  }

  /** Returns Aeron's channel of a receiver. */
  String receiver(String local, int session) {
    return "aeron:udp?endpoint=%s:%d|interface=%s|session-id=%d"
        .formatted(host, port, local, session);
  }
}
