package io.sluice.testkit;

/** Client's WebSocket to an echo server. Confined to one thread. */
public interface EchoConnection extends AutoCloseable {
  /** Factory of connections to one server. */
  @FunctionalInterface
  interface Opener {
    /**
     * @param extensions the value of Sec-WebSocket-Extensions, or null to send none
     */
    EchoConnection open(String extensions);
  }

  /** Returns the extensions that the server accepted, or null. */
  String extensions();

  /** Sends bytes in one write. */
  void send(byte[] bytes);

  /** Returns the server's next frame, or null if the server closed the connection. */
  ServerFrame readFrame();

  @Override
  void close();
}
