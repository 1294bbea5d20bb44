package io.sluice.gateway.socket;

import io.netty.channel.unix.DomainSocketAddress;
import io.netty.channel.unix.Socket;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.HexFormat;

/**
 * Duplicator of file descriptors: passes a socket through a pair of unix domain sockets
 * (SCM_RIGHTS). Bound to one thread.
 *
 * <p>Neither Java nor Netty can duplicate a descriptor or detach one from a channel. With a
 * duplicate, the channel can be closed as its owner expects while the connection remains open.
 */
final class FdDuplicator implements AutoCloseable {
  private static final int RANDOM_BYTES = 16;

  private final Socket out;
  private final Socket in;

  private FdDuplicator(Socket out, Socket in) {
    this.out = out;
    this.in = in;
  }

  /** Opens a pair of sockets. Linux only: their address is in the abstract namespace. */
  static FdDuplicator open() throws IOException {
    byte[] secret = random(); // other than the name, which every local process can read
    DomainSocketAddress name =
        new DomainSocketAddress("\0sluice-" + HexFormat.of().formatHex(random()));
    try (Descriptor listener = new Descriptor(Socket.newSocketDomain())) {
      listener.socket().bind(name);
      listener.socket().listen(1);
      Socket out = Socket.newSocketDomain();
      try {
        out.connect(name);
        return new FdDuplicator(out, accept(listener.socket(), out, secret));
      } catch (IOException | RuntimeException | Error e) {
        out.close();
        throw e;
      }
    }
  }

  private static byte[] random() {
    byte[] bytes = new byte[RANDOM_BYTES];
    new SecureRandom().nextBytes(bytes);
    return bytes;
  }

  /** Temporary socket, closed by try-with-resources. */
  private record Descriptor(Socket socket) implements AutoCloseable {
    @Override
    public void close() throws IOException {
      socket.close();
    }
  }

  // Another process may have connected first; only this process has the secret.
  private static Socket accept(Socket listener, Socket out, byte[] secret) throws IOException {
    Socket in = new Socket(listener.accept(new byte[RANDOM_BYTES * 8]));
    try {
      verify(out, in, secret);
      return in;
    } catch (IOException | RuntimeException | Error e) {
      in.close();
      throw e;
    }
  }

  private static void verify(Socket out, Socket in, byte[] secret) throws IOException {
    ByteBuffer sent = ByteBuffer.allocateDirect(RANDOM_BYTES).put(secret);
    ByteBuffer received = ByteBuffer.allocateDirect(RANDOM_BYTES);
    int count = 0;
    if (out.write(sent, 0, RANDOM_BYTES) == RANDOM_BYTES) {
      count = in.read(received, 0, RANDOM_BYTES);
    }
    if (count != RANDOM_BYTES || !received.rewind().equals(sent.rewind())) {
      throw new IOException("another process has connected to the node's socket pair");
    }
  }

  /** Returns a new descriptor of the same open file, owned by the caller. */
  int duplicate(int descriptor) throws IOException {
    if (out.sendFd(descriptor) < 0) {
      throw new IOException("cannot send descriptor " + descriptor);
    }
    int copy = in.recvFd();
    if (copy <= 0) {
      throw new IOException("cannot receive the duplicate of descriptor " + descriptor);
    }
    return copy;
  }

  @Override
  public void close() {
    closeQuietly(out);
    closeQuietly(in);
  }

  private static void closeQuietly(Socket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }
}
