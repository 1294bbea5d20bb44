package io.sluice.cluster.peer;

import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.List;

/** Identity by which nodes authenticate each other. Immutable, for any thread. */
public sealed interface PeerIdentity {
  /** No authentication: every process that reaches the port is a node. Only for loopback. */
  record Open() implements PeerIdentity {}

  /**
   * Secret shared by all nodes.
   *
   * @param text hard to guess, at least {@link #MIN_CHARACTERS} long
   */
  record Secret(String text) implements PeerIdentity {
    /** Minimum length: the public key sent to every peer allows offline guesses. */
    public static final int MIN_CHARACTERS = 16;

    @Override
    public String toString() {
      return "Secret[***]";
    }
  }

  /**
   * Certificate of each node, used as server and as client.
   *
   * @param key of the first certificate
   * @param chain this node's certificate, then the intermediate ones
   * @param authorities trusted authorities: every holder of a certificate of theirs is a node
   */
  record Certified(PrivateKey key, List<X509Certificate> chain, List<X509Certificate> authorities)
      implements PeerIdentity {
    /** Copies the lists. */
    public Certified {
      chain = List.copyOf(chain);
      authorities = List.copyOf(authorities);
    }

    @Override
    public String toString() {
      return "Certified[" + chain.get(0).getSubjectX500Principal() + "]";
    }
  }
}
