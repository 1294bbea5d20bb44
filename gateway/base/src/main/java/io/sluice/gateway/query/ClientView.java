package io.sluice.gateway.query;

import io.sluice.gateway.protocol.InterestKey;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/** Session of a client as operators see it. Bound to the event loop of its connection. */
public interface ClientView {
  /** Value of an unknown round-trip time. */
  int NO_RTT = -1;

  /** Age of a ping if all are answered. */
  long NO_PING = -1;

  /** Returns whether the session is still open. */
  boolean isOpen();

  /** Returns the sequence number of the session on its node. */
  long number();

  /** Returns the id of the session. */
  String session();

  /** Returns the subject of the client's credential; empty for an anonymous client. */
  String subject();

  /** Returns the word of the authentication mechanism. */
  String mechanism();

  /** Returns the id of the credential; empty if it has none. */
  String token();

  /** Returns the client's address. */
  String address();

  /** Returns the start of the session, Unix milliseconds. */
  long sinceMs();

  /** Returns the expiry of the credential, Unix milliseconds; {@link Long#MAX_VALUE} without. */
  long expiresMs();

  /** Returns the number of subscriptions. */
  int subscriptionCount();

  /** Returns the number of consumers of queues. */
  int consumerCount();

  /** Returns the bytes that the kernel has not accepted. */
  long pendingBytes();

  /** Returns the smoothed round-trip time of the pings in milliseconds, or {@link #NO_RTT}. */
  int rttMs();

  /** Returns the age of the oldest unanswered ping in milliseconds, or {@link #NO_PING}. */
  long unansweredPingMs();

  /** Returns the number of gaps sent to the current subscriptions. */
  int gaps();

  /** Returns the figures of the subscriptions whose keys match. */
  List<SubscriptionFigures> subscriptions(Predicate<InterestKey> matches);

  /** Returns the granted patterns by operation. */
  Map<String, List<String>> permissions();

  /**
   * Ends the session; the client may reconnect.
   *
   * @param by address of the operator
   */
  void disconnect(String by);

  /**
   * Redirects the client to another node.
   *
   * @return false if the client follows no redirects, was redirected recently, or is leaving
   */
  boolean redirect(String url);

  /** Starts to remember the latest frames of the session, for some seconds. */
  void trace(int seconds);

  /** Returns the latest frames, the oldest first; null without a trace. */
  List<TracedFrame> frames();

  /** Returns why the client may not subscribe to a topic or pattern, or null. */
  String subscribeProblem(String topic);

  /** Returns the limit that rejects one more subscription to a topic or pattern, or null. */
  String limitProblem(String topic);
}
