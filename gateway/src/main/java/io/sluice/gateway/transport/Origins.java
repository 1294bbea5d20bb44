package io.sluice.gateway.transport;

import java.util.List;

/** The origins that browsers may come from. Immutable, any thread may call it. */
final class Origins {
  private final List<String> allowed;
  private final boolean any;

  /**
   * @param allowed as browsers send them; {@code *} allows any
   */
  Origins(List<String> allowed) {
    this.allowed = List.copyOf(allowed);
    this.any = allowed.contains("*");
  }

  /**
   * Whether a request may come from where it says. Clients other than browsers say nothing, and
   * could say anything.
   *
   * @param sent the values of the request's Origin headers
   */
  boolean allow(List<String> sent) {
    if (sent.isEmpty()) {
      return true;
    }
    String origin = sent.get(0).strip();
    return sent.size() == 1
        && (any ? isPlain(origin) : allowed.stream().anyMatch(origin::equalsIgnoreCase));
  }

  /**
   * Whether a request comes from an origin that is listed by name, so that its pages may use the
   * browser's credentials. One that only {@code *} allows may not.
   *
   * @param sent an Origin header that {@link #allow} accepts
   */
  boolean isNamed(String sent) {
    String origin = sent.strip();
    return !origin.equals("*") && allowed.stream().anyMatch(origin::equalsIgnoreCase);
  }

  // No browser sends anything else, and what is allowed may be said again in an answer.
  private static boolean isPlain(String origin) {
    return origin.chars().allMatch(c -> c > ' ' && c < 0x7F);
  }
}
