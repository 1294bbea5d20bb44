package io.sluice.gateway.admin.query;

import io.sluice.gateway.audit.AuditLog;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * QueryInput of a request for a query. Immutable, for any thread.
 *
 * @param named returns the value of a parameter, or null
 */
public record QueryInput(UnaryOperator<String> named) {
  /** Returns a text as part of a path or a parameter. */
  public static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
  }

  /**
   * Returns the text of a percent-encoded part of a path, in which a plus sign is not a space.
   *
   * @throws IllegalArgumentException with an error message of one line
   */
  public static String decoded(String part) {
    try {
      return URLDecoder.decode(part.replace("+", "%2B"), StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("the path is not percent-encoded correctly", e);
    }
  }

  /**
   * Returns whether the query is for this node only.
   *
   * @throws IllegalArgumentException with an error message of one line; likewise the other methods
   */
  boolean isOfNode() {
    return word("scope", List.of("cluster", "node")).equals("node");
  }

  /** Returns one of the words; the first one if the parameter is absent. */
  String word(String name, List<String> words) {
    String given = named.apply(name);
    if (given != null && !words.contains(given)) {
      throw new IllegalArgumentException(name + " is none of " + String.join(", ", words));
    }
    return given == null ? words.get(0) : given;
  }

  /** Returns the value of a parameter, which may be empty. */
  public String required(String name) {
    String given = named.apply(name);
    if (given == null) {
      throw new IllegalArgumentException("the parameter " + name + " is missing");
    }
    return given;
  }

  /** Returns the page of a list with these orders. */
  public Page page(List<String> sorts) {
    int maxLimit = isOfNode() ? Page.MAX_NODE_LIMIT : Page.MAX_LIMIT;
    return new Page(
        search(),
        word("sort", sorts),
        number("offset", 0, 0, Page.MAX_OFFSET),
        number("limit", 100, 1, maxLimit));
  }

  /** Returns the kind of entries in a list of topics. */
  public TopicKind topicKind() {
    return TopicKind.of(word("kind", QueryWords.TOPIC_KINDS));
  }

  /** Returns the query of the audit log. */
  public AuditQuery audit(AuditLog log) {
    String kind = named.apply("kind");
    if (kind != null && !QueryWords.AUDIT_EVENTS.contains(kind)) {
      throw new IllegalArgumentException(
          "kind is none of " + String.join(", ", QueryWords.AUDIT_EVENTS));
    }
    return new AuditQuery(
        log, search(), kind == null ? "" : kind, number("limit", 100, 1, AuditQuery.MAX_LIMIT));
  }

  private String search() {
    String search = named.apply("search");
    if (search != null && search.length() > Page.MAX_SEARCH) {
      throw new IllegalArgumentException("search has more than " + Page.MAX_SEARCH + " characters");
    }
    return search == null ? "" : search;
  }

  private int number(String name, int preset, int min, int max) {
    String given = named.apply(name);
    if (given == null) {
      return preset;
    }
    boolean numeric = given.matches("\\d{1,9}");
    if (!numeric || Integer.parseInt(given) < min || Integer.parseInt(given) > max) {
      throw new IllegalArgumentException(name + " is not a number from " + min + " to " + max);
    }
    return Integer.parseInt(given);
  }
}
