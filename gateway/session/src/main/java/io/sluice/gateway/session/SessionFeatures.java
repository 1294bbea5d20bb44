package io.sluice.gateway.session;

import java.util.List;
import java.util.stream.Stream;

/** Composition of the features of sessions. */
public final class SessionFeatures {
  private SessionFeatures() {}

  /**
   * Returns all features of a node's sessions.
   *
   * @param optional features of optional modules
   */
  public static SessionFeature.Table of(List<SessionFeature<?>> optional) {
    List<SessionFeature<?>> own = List.of(Publishing.FEATURE, Refreshing.FEATURE);
    return new SessionFeature.Table(
        Session.KERNEL, Stream.concat(optional.stream(), own.stream()).toList());
  }
}
