package io.sluice.gateway.membership;

import io.sluice.cluster.peer.PeerIdentity;
import io.sluice.gateway.membership.MemberOptions.IdentityFiles;
import io.sluice.gateway.tls.FileState;
import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What this node shows to the others of its cluster, read again when its files change. One thread
 * at a time may let it look; any thread may ask.
 */
final class PeerFiles {
  private static final Logger log = LoggerFactory.getLogger(PeerFiles.class);

  private final IdentityFiles files;
  private volatile PeerIdentity identity;
  private volatile String trouble;

  /** Null until they are looked at: they may have changed since what the node began with. */
  private List<FileState> seen;

  /** Takes over what files have to say. */
  interface User {
    /**
     * From now on it is shown to others.
     *
     * @throws GeneralSecurityException if it can't be used; then the former one stays
     */
    void renew(PeerIdentity.Certified identity) throws GeneralSecurityException;
  }

  /**
   * @param identity as the node began with
   */
  PeerFiles(IdentityFiles files, PeerIdentity identity) {
    this.files = files;
    this.identity = identity;
  }

  /** Whether there are files that may change. */
  boolean areUsed() {
    return identity instanceof PeerIdentity.Certified;
  }

  PeerIdentity identity() {
    return identity;
  }

  /** Gives the user what files hold, if that is new; what can't be used is told, once. */
  void renew(User user) {
    List<FileState> now = FileState.of(files.names());
    if (trouble == null && now.equals(seen)) {
      return;
    }
    try {
      use(files.reader().read(), user);
      seen = now;
      trouble = null;
    } catch (UnusableCluster | GeneralSecurityException | RuntimeException e) {
      onTrouble(String.valueOf(e.getMessage()));
    }
  }

  private void use(PeerIdentity read, User user) throws GeneralSecurityException {
    if (!read.equals(identity) && read instanceof PeerIdentity.Certified certified) {
      user.renew(certified);
      identity = certified;
      log.atInfo().addKeyValue("certificate-ends-ms", endsMs()).log("cluster.tls-reloaded");
    }
  }

  private void onTrouble(String what) {
    if (!what.equals(trouble)) {
      log.atError().addKeyValue("cause", what).log("cluster.tls-reload-failed");
    }
    trouble = what;
  }

  /** Whether the node goes on with what files held before they changed. */
  boolean areOutdated() {
    return trouble != null;
  }

  /** When the first certificate that the node shows ends, Unix milliseconds; 0 if it has none. */
  long endsMs() {
    return identity instanceof PeerIdentity.Certified certified
        ? certified.chain().stream()
            .map(X509Certificate::getNotAfter)
            .mapToLong(end -> end.getTime())
            .min()
            .orElse(0)
        : 0;
  }
}
