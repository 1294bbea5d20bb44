package io.sluice.gateway.tls;

import java.util.List;
import java.util.Set;

/**
 * What both ports of a node speak where they speak TLS: forward secrecy and authenticated
 * encryption only, as every browser since 2016 does. Stateless.
 */
public final class TlsSuites {
  /** The versions, by their names in the JDK. */
  public static final Set<String> PROTOCOLS = Set.of("TLSv1.3", "TLSv1.2");

  /** The ciphers, the one that is liked best first. */
  public static final List<String> CIPHERS =
      List.of(
          "TLS_AES_128_GCM_SHA256",
          "TLS_AES_256_GCM_SHA384",
          "TLS_CHACHA20_POLY1305_SHA256",
          "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256",
          "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256",
          "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384",
          "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384",
          "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256",
          "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256");

  private TlsSuites() {}

  /**
   * Keeps the JDK's engine from repeating its part of a handshake of TLS 1.2 as often as a client
   * likes, as it would by default. There is no other switch than this one of the whole JVM, which
   * reads it before the first handshake of a server.
   */
  public static void refuseRenegotiation() {
    System.getProperties().putIfAbsent("jdk.tls.rejectClientInitiatedRenegotiation", "true");
  }
}
