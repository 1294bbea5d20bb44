package io.sluice.gateway.membership;

import io.sluice.cluster.Cluster;
import io.sluice.cluster.peer.PeerIdentity;
import io.sluice.gateway.tls.FileState;
import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Identity of this node for its peers, reloaded when its files change. One thread at a time may
 * call {@link #renew}; any thread may read.
 */
final class PeerFiles {
  private static final Logger log = LoggerFactory.getLogger(PeerFiles.class);

  private final MemberOptions options;
  private volatile PeerIdentity identity;
  private volatile String lastProblem;

  /** Null until the first check: the files may have changed since the start. */
  private List<FileState> seen;

  /**
   * @param identity initial identity of the node
   */
  PeerFiles(MemberOptions options, PeerIdentity identity) {
    this.options = options;
    this.identity = identity;
  }

  /** Returns whether the identity is read from files that may change. */
  boolean areUsed() {
    return identity instanceof PeerIdentity.Certified;
  }

  PeerIdentity identity() {
    return identity;
  }

  /** Passes a changed identity to the cluster; a problem is logged once. */
  void renew(Cluster cluster) {
    List<FileState> now = FileState.of(options.identityFiles());
    if (lastProblem == null && now.equals(seen)) {
      return;
    }
    try {
      use(options.identity().call(), cluster);
      seen = now;
      lastProblem = null;
    } catch (Exception e) {
      onProblem(String.valueOf(e.getMessage()));
    }
  }

  private void use(PeerIdentity read, Cluster cluster) throws GeneralSecurityException {
    if (!read.equals(identity) && read instanceof PeerIdentity.Certified certified) {
      cluster.renew(certified);
      identity = certified;
      log.atInfo().addKeyValue("certificate-ends-ms", expiresMs()).log("cluster.tls-reloaded");
    }
  }

  private void onProblem(String what) {
    if (!what.equals(lastProblem)) {
      log.atError().addKeyValue("cause", what).log("cluster.tls-reload-failed");
    }
    lastProblem = what;
  }

  /** Returns whether the files have changed and the node still uses their former content. */
  boolean areOutdated() {
    return lastProblem != null;
  }

  /**
   * Returns the earliest expiry of the node's certificate chain, Unix milliseconds; 0 without
   * certificates.
   */
  long expiresMs() {
    return identity instanceof PeerIdentity.Certified certified
        ? certified.chain().stream()
            .map(X509Certificate::getNotAfter)
            .mapToLong(end -> end.getTime())
            .min()
            .orElse(0)
        : 0;
  }
}
