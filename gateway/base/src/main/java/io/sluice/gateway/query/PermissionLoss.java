package io.sluice.gateway.query;

import java.util.List;
import java.util.Map;

/**
 * Permissions and uses that a session loses by a change of the configuration. Immutable, for any
 * thread.
 *
 * @param session id of the session
 * @param subject subject of the client's credential; empty for an anonymous client
 * @param mechanism word of the authentication mechanism
 * @param address the client's
 * @param closes whether the session ends, because it would be granted too many patterns
 * @param permissions patterns that the client may no longer use, by operation
 * @param ends open uses that end, such as {@code subscribe orders.eu}
 */
public record PermissionLoss(
    String session,
    String subject,
    String mechanism,
    String address,
    boolean closes,
    Map<String, List<String>> permissions,
    List<String> ends) {

  /** Returns whether nothing is lost. */
  public boolean isEmpty() {
    return !closes && permissions.isEmpty() && ends.isEmpty();
  }
}
