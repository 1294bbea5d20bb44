package io.sluice.gateway.attack;

import java.util.Map;
import java.util.TreeMap;
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
 * @param most maximum number of frames with a text that the node may send to a connection, by text;
 *     null if frames are not counted
 */
record Script(
    IntFunction<byte[]> first,
    byte[] beat,
    long beatMs,
    End end,
    boolean reads,
    boolean tls,
    Map<String, Integer> most) {
  /** When an attacker leaves by itself, to come again. */
  enum End {
    /** When the node ends it. */
    NEVER,
    /** When it is connected, TLS included. */
    CONNECTED,
    /** When the node has answered its request. */
    ANSWERED,
    /** When the node has refused a frame. */
    REFUSED
  }

  private static final byte[] NOTHING = {};

  /** Sends this at the beginning, reads, and stays. */
  static Script of(IntFunction<byte[]> first) {
    return new Script(first, NOTHING, 0, End.NEVER, true, true, null);
  }

  /** Sends the same at the beginning of each connection. */
  static Script of(byte[] first) {
    return of(number -> first);
  }

  /** The same, and then this over and over. */
  Script then(byte[] bytes, long everyMs) {
    return new Script(first, bytes, everyMs, end, reads, tls, most);
  }

  Script leaving(End when) {
    return new Script(first, beat, beatMs, when, reads, tls, most);
  }

  Script mute() {
    return new Script(first, beat, beatMs, end, false, tls, most);
  }

  Script bare() {
    return new Script(first, beat, beatMs, end, reads, false, most);
  }

  /** The same; messages, deliveries and errors count as outcomes. */
  Script counting() {
    return new Script(first, beat, beatMs, end, reads, tls, most == null ? Map.of() : most);
  }

  /** The same; further frames with this text are the outcome {@link Attackers#LEAKED}. */
  Script atMost(String text, int frames) {
    Map<String, Integer> all = new TreeMap<>(counting().most);
    all.put(text, frames);
    return new Script(first, beat, beatMs, end, reads, tls, Map.copyOf(all));
  }

  /** The same without waiting between what is sent. */
  Script unpaced() {
    return new Script(first, beat, 0, end, reads, tls, most);
  }
}
