package io.sluice.cluster.peer;

import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.List;

/** By what nodes know each other. Immutable, for any thread. */
public sealed interface PeerIdentity {
  /** Nothing: whoever reaches the port is a node. Only for loopback. */
  record Open() implements PeerIdentity {}

  /**
   * A secret that all nodes have.
   *
   * @param text hard to guess, {@link #LEAST_CHARACTERS} long or longer
   */
  record Secret(String text) implements PeerIdentity {
    /** A node shows to whoever connects what guesses can be tried against. */
    public static final int LEAST_CHARACTERS = 16;

    @Override
    public String toString() {
      return "Secret[***]";
    }
  }

  /**
   * A certificate of each node, for servers and clients alike.
   *
   * @param key of the first certificate
   * @param chain this node's, then those between it and the authority
   * @param authorities whoever has a certificate of one of them is a node
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
