package io.sluice.gateway.streams.route;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Decoded parameters of a URL, in their order. Immutable, for any thread. */
public final class UrlQuery {
  /** Query without parameters. */
  public static final UrlQuery NONE = new UrlQuery(Map.of());

  private final Map<String, List<String>> values;

  private UrlQuery(Map<String, List<String>> values) {
    this.values = values;
  }

  /**
   * Returns the parameters of a query.
   *
   * @param query without the question mark; null for none
   * @return null if a name or value is malformed
   */
  public static UrlQuery of(String query) {
    Map<String, List<String>> values = new LinkedHashMap<>();
    for (String parameter : query == null ? new String[0] : query.split("&")) {
      int equals = parameter.indexOf('=');
      String name = UrlText.decode(equals < 0 ? parameter : parameter.substring(0, equals), true);
      String value = equals < 0 ? "" : UrlText.decode(parameter.substring(equals + 1), true);
      if (name == null || value == null) {
        return null;
      }
      values.computeIfAbsent(name, any -> new ArrayList<>(1)).add(value);
    }
    return new UrlQuery(values);
  }

  /** Returns the parameters that are not among the known ones. */
  public List<String> unknown(Set<String> known) {
    return values.keySet().stream().filter(name -> !known.contains(name)).toList();
  }

  /** Returns all values of a parameter; empty if it is absent. */
  public List<String> all(String name) {
    return values.getOrDefault(name, List.of());
  }

  /** Returns the first value of a parameter, or null. */
  public String first(String name) {
    List<String> all = all(name);
    return all.isEmpty() ? null : all.get(0);
  }

  /** Returns whether the parameter is present, with or without a value. */
  public boolean has(String name) {
    return values.containsKey(name);
  }
}
