package io.sluice.gateway.admin.query;

import java.util.List;

/** Words of the parameters of queries, for the admin port and its commands. Constants only. */
public final class QueryWords {
  /** Orders of a list of topics, the default first. */
  public static final List<String> TOPIC_ORDERS =
      List.of("rate", "bytes", "subscribers", "log", "log-age", "gaps");

  /** Kinds of entries in a list of topics, the default first. */
  public static final List<String> TOPIC_KINDS = List.of("topic", "pattern", "all");

  /** Orders of a list of clients, the default first. */
  public static final List<String> CLIENT_ORDERS =
      List.of("since", "pending", "rtt", "gaps", "subscriptions");

  /** Events of the audit log. */
  public static final List<String> AUDIT_EVENTS =
      List.of(
          "connected",
          "refreshed",
          "disconnected",
          "subscribed",
          "consuming",
          "deleted",
          "published",
          "refused",
          "revoked",
          "restored",
          "commanded",
          "admin-refused");

  private QueryWords() {}
}
