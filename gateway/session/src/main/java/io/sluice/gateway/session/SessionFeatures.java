package io.sluice.gateway.session;

import java.util.List;
import java.util.stream.Stream;

/** Composition of the features of sessions. */
public final class SessionFeatures {
  private SessionFeatures() {}

  /**
   * Returns all features of a node's sessions.
   *
   * @param others features of optional modules
   */
  public static SessionFeature.Table of(List<SessionFeature<?>> others) {
    List<SessionFeature<?>> own =
        List.of(
            Consumers.FEATURE,
            DurableRequests.FEATURE,
            Publishing.FEATURE,
            Requesting.FEATURE,
            Transacting.FEATURE,
            Refreshing.FEATURE);
    return new SessionFeature.Table(
        Session.KERNEL, Stream.concat(others.stream(), own.stream()).toList());
  }
}
