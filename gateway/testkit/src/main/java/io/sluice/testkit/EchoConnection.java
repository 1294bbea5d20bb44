package io.sluice.testkit;

/** A WebSocket to a server that echoes messages, seen from its client. One thread. */
public interface EchoConnection extends AutoCloseable {
  /** Opens connections to one server. */
  @FunctionalInterface
  interface Opener {
    /**
     * @param extensions the value of Sec-WebSocket-Extensions, or null to send none
     */
    EchoConnection open(String extensions);
  }

  /** What the server agreed to of the extensions, or null. */
  String extensions();

  /** Sends bytes as they are, in one piece. */
  void send(byte[] bytes);

  /** The server's next frame, or null if it has ended the connection. */
  ServerFrame readFrame();

  @Override
  void close();
}
