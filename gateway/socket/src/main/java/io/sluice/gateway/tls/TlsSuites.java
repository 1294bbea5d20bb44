package io.sluice.gateway.tls;

import java.util.List;
import java.util.Set;

/**
 * TLS versions and cipher suites of both ports: forward secrecy and authenticated encryption only,
 * which every browser since 2016 supports. Stateless, for any thread.
 */
public final class TlsSuites {
  /** TLS versions, by their names in the JDK. */
  public static final Set<String> PROTOCOLS = Set.of("TLSv1.3", "TLSv1.2");

  /** Cipher suites in the order of preference. */
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
   * Disables renegotiation by clients in the JDK's engine, which TLS 1.2 permits without a limit.
   * The only switch is this property of the JVM, which is read before the first handshake of a
   * server.
   */
  public static void refuseRenegotiation() {
    System.getProperties().putIfAbsent("jdk.tls.rejectClientInitiatedRenegotiation", "true");
  }
}
