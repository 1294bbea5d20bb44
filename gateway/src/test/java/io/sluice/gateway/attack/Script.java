package io.sluice.gateway.attack;

import java.util.function.IntFunction;

/**
 * Script of an attacker's connection. Immutable, for any thread.
 *
 * @param first bytes sent after the connect, by the connection's number
 * @param beat bytes sent repeatedly, or none
 * @param beatMs interval of the repetition; 0: as fast as the node reads
 * @param end event at which it disconnects
 * @param reads whether it reads the node's bytes
 * @param tls whether it uses TLS if the node does
 */
record Script(
    IntFunction<byte[]> first, byte[] beat, long beatMs, End end, boolean reads, boolean tls) {
  /** When an attacker leaves by itself, to come again. */
  enum End {
    /** When the node ends it. */
    NEVER,
    /** When it is connected, TLS included. */
    CONNECTED,
    /** When the node has answered its request. */
    ANSWERED
  }

  private static final byte[] NOTHING = {};

  /** Sends this at the beginning, reads, and stays. */
  static Script of(IntFunction<byte[]> first) {
    return new Script(first, NOTHING, 0, End.NEVER, true, true);
  }

  /** Sends the same at the beginning of each connection. */
  static Script of(byte[] first) {
    return of(number -> first);
  }

  /** The same, and then this over and over. */
  Script then(byte[] bytes, long everyMs) {
    return new Script(first, bytes, everyMs, end, reads, tls);
  }

  Script leaving(End when) {
    return new Script(first, beat, beatMs, when, reads, tls);
  }

  Script mute() {
    return new Script(first, beat, beatMs, end, false, tls);
  }

  Script bare() {
    return new Script(first, beat, beatMs, end, reads, false);
  }

  /** The same without waiting between what is sent. */
  Script unpaced() {
    return new Script(first, beat, 0, end, reads, tls);
  }
}
