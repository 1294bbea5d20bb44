package io.sluice.gateway.attack;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;

/** Tokens of users by their name, and tokens that nodes must reject. Immutable, for any thread. */
record Tokens(Map<String, String> byUser) {
  /** A token with an invalid signature, otherwise valid. */
  static final String BAD = "bad";

  Tokens {
    byUser = Map.copyOf(byUser);
  }

  /** Returns the token of a user, or an empty text. */
  String of(String user) {
    return byUser.getOrDefault(user, "");
  }

  /** Returns one argument of a process. */
  String argument() {
    return byUser.entrySet().stream()
        .map(each -> each.getKey() + '=' + each.getValue())
        .collect(Collectors.joining(","));
  }

  /** Reads {@link #argument} back. */
  static Tokens parse(String argument) {
    Map<String, String> tokens = new LinkedHashMap<>();
    for (String each : argument.split(",")) {
      int end = each.indexOf('=');
      if (end > 0) {
        tokens.put(each.substring(0, end), each.substring(end + 1));
      }
    }
    return new Tokens(tokens);
  }
}
