package io.sluice.gateway.session;

import io.sluice.gateway.presence.PresenceHub;
import java.util.List;

/** Composition of the features of sessions: the only class that lists them all. */
public final class SessionFeatures {
  private SessionFeatures() {}

  /**
   * Returns all features.
   *
   * @param presence null if no topic has presence
   */
  public static SessionFeature.Table of(PresenceHub presence) {
    return new SessionFeature.Table(
        Session.KERNEL,
        List.of(
            Consumers.FEATURE,
            ClientPresence.feature(presence),
            DurableRequests.FEATURE,
            Publishing.FEATURE,
            Requesting.FEATURE,
            Transacting.FEATURE,
            Refreshing.FEATURE));
  }
}
