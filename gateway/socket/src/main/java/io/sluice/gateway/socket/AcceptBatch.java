package io.sluice.gateway.socket;

import io.netty.channel.unix.NativeInetAddress;
import java.io.IOException;
import java.net.InetAddress;
import java.util.Arrays;
import java.util.concurrent.RejectedExecutionException;

/**
 * Sockets accepted in one iteration for one event loop, as a task of that loop. Filled by the
 * acceptor's thread before it is passed on.
 */
final class AcceptBatch implements Runnable {
  private final AcceptTarget target;
  private final ServerChannels channels;
  private int[] descriptors = new int[4];
  private byte[][] addresses = new byte[4][];
  private int count;

  /**
   * @param channels of the server, for requests that are not read directly
   */
  AcceptBatch(AcceptTarget target, ServerChannels channels) {
    this.target = target;
    this.channels = channels;
  }

  /**
   * @param address of the client, as Netty encodes it
   */
  void add(int descriptor, byte[] address) {
    if (count == descriptors.length) {
      descriptors = Arrays.copyOf(descriptors, 2 * count);
      addresses = Arrays.copyOf(addresses, 2 * count);
    }
    descriptors[count] = descriptor;
    addresses[count++] = address;
  }

  /** Passes the sockets to the event loop, or closes them if it has ended. */
  void passOn() {
    if (count == 0) {
      return;
    }
    try {
      target.sockets().execute(this);
    } catch (RejectedExecutionException stopping) {
      for (int i = 0; i < count; i++) {
        EpollSockets.closeQuietly(descriptors[i]);
      }
    }
  }

  @Override
  public void run() {
    for (int i = 0; i < count; i++) {
      open(descriptors[i], addresses[i]);
    }
  }

  private void open(int descriptor, byte[] address) {
    InetAddress source = NativeInetAddress.address(address, 0, address.length).getAddress();
    HandshakeSocket handshake =
        new HandshakeSocket(target.sockets(), channels, target.listener(), source);
    try {
      target.sockets().adopt(descriptor, handshake);
    } catch (IOException | RuntimeException e) { // the others of the batch are served
      target.listener().onFault(e);
    }
  }
}
