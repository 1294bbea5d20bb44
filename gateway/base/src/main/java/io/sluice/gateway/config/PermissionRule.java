package io.sluice.gateway.config;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Permissions of the clients whose claims match. Immutable, for any thread.
 *
 * @param conditions required value, or {@link #ANY}, by claim; all must match; empty: all clients
 * @param patterns patterns of granted topics or queues by operation; a claim's name in braces is
 *     replaced by the claim's value
 * @param compressAlone whether messages to these clients are compressed without reference to others
 */
public record PermissionRule(
    Map<String, String> conditions, Map<Operation, List<String>> patterns, boolean compressAlone) {
  /** Condition that any value of a claim fulfils. */
  public static final String ANY = "*";

  /** Claims that need no quotation marks as keys. */
  private static final Pattern PLAIN = Pattern.compile("[A-Za-z_][A-Za-z0-9_.-]*");

  /** Operation on topics or queues that permission rules grant. */
  public enum Operation {
    /** Subscribe to topics. */
    SUBSCRIBE,
    /** Publish to topics. */
    PUBLISH,
    /** Publish to queues. */
    SEND,
    /** Consume messages of queues. */
    CONSUME,
    /** Read messages of queues without removing them. */
    BROWSE,
    /** Consume messages of topics by durable subscriptions. */
    DURABLE,
    /** Consume messages of topics by shared subscriptions. */
    SHARED,
    /** See the members of topics. */
    PRESENCE;

    /** All operations. */
    public static final List<Operation> ALL = List.of(values());

    /** Returns the key in permission rules and claims. */
    public String key() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  public PermissionRule {
    conditions = Map.copyOf(conditions);
    patterns = Map.copyOf(patterns);
  }

  /** Creates a rule that does not limit compression. */
  public PermissionRule(Map<String, String> conditions, Map<Operation, List<String>> patterns) {
    this(conditions, patterns, false);
  }

  /** Creates a rule for topics. */
  public PermissionRule(
      Map<String, String> conditions, List<String> subscribe, List<String> publish) {
    this(
        conditions,
        Map.of(
            Operation.SUBSCRIBE, List.copyOf(subscribe), Operation.PUBLISH, List.copyOf(publish)));
  }

  /** Returns the patterns of topics or queues on which the operation is granted. */
  public List<String> patterns(Operation operation) {
    return patterns.getOrDefault(operation, List.of());
  }

  /** Returns the rule in the notation of a configuration file, on one line. */
  String text() {
    Stream<String> required =
        conditions.isEmpty() ? Stream.of() : Stream.of("if: " + map(conditions));
    Stream<String> granted =
        Operation.ALL.stream()
            .filter(operation -> patterns.containsKey(operation))
            .map(operation -> operation.key() + ": " + list(patterns(operation)));
    Stream<String> compress = compressAlone ? Stream.of("compress: alone") : Stream.of();
    return Stream.of(required, granted, compress)
        .flatMap(part -> part)
        .collect(Collectors.joining(", ", "{", "}"));
  }

  private static String map(Map<String, String> conditions) {
    return new TreeMap<>(conditions)
        .entrySet().stream()
            .map(each -> key(each.getKey()) + ": " + quoted(each.getValue()))
            .collect(Collectors.joining(", ", "{", "}"));
  }

  private static String key(String claim) {
    return PLAIN.matcher(claim).matches() ? claim : quoted(claim);
  }

  private static String list(List<String> patterns) {
    return patterns.stream().map(PermissionRule::quoted).toList().toString();
  }

  private static String quoted(String text) {
    String escaped = text.replace("\\", "\\\\").replace("\"", "\\\"").replace("${", "$${");
    return '"' + escaped + '"';
  }
}
