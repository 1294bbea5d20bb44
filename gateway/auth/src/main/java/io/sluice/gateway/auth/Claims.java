package io.sluice.gateway.auth;

import io.sluice.gateway.config.PermissionRule;
import java.math.BigInteger;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Claims of a principal, found by the names in permission rules or settings. A name is that of a
 * claim, or a dotted path to a nested one. Immutable, for any thread.
 */
public final class Claims {
  /** Name of the claim with the subject. */
  static final String SUBJECT = "sub";

  /** RFC 8693, section 4.2: one string with spaces between its values. */
  private static final String SCOPE = "scope";

  private final Principal principal;

  public Claims(Principal principal) {
    this.principal = principal;
  }

  /** Returns the unconverted claim, or null. The subject is the principal's name. */
  Object find(String name) {
    return name.equals(SUBJECT) ? principal.name() : find(principal.claims(), name);
  }

  // Some issuers use URLs as claim names, which contain dots, too: the whole name is tried first.
  private static Object find(Map<?, ?> claims, String path) {
    Object found = claims.get(path);
    for (int dot = path.indexOf('.'); found == null && dot >= 0; dot = path.indexOf('.', dot + 1)) {
      if (claims.get(path.substring(0, dot)) instanceof Map<?, ?> inner) {
        found = find(inner, path.substring(dot + 1));
      }
    }
    return found;
  }

  /** Returns whether a claim contains this value; {@link PermissionRule#ANY} matches any value. */
  public boolean hasValue(String name, String value) {
    boolean any = value.equals(PermissionRule.ANY);
    for (Object each : values(name)) {
      if (any ? !"".equals(each) : value.equals(text(each)) || value.equals(flag(each))) {
        return true;
      }
    }
    return false;
  }

  /** Returns the values of a claim that are strings or integers. */
  List<String> texts(String name) {
    return values(name).stream().map(Claims::text).filter(Objects::nonNull).distinct().toList();
  }

  private List<?> values(String name) {
    Object found = find(name);
    if (found instanceof List<?> list) {
      return list.stream().filter(Objects::nonNull).toList();
    } else if (found instanceof String words && name.equals(SCOPE)) {
      return Arrays.asList(words.split(" "));
    }
    return found == null ? List.of() : List.of(found);
  }

  private static String text(Object value) {
    boolean whole =
        value instanceof Long
            || value instanceof Integer
            || value instanceof Short
            || value instanceof Byte
            || value instanceof BigInteger;
    return value instanceof String || whole ? value.toString() : null;
  }

  private static String flag(Object value) {
    return value instanceof Boolean ? value.toString() : null;
  }
}
