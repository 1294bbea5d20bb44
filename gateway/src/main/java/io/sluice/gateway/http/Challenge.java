package io.sluice.gateway.http;

import io.sluice.gateway.auth.Credential;
import io.sluice.gateway.protocol.Refusal;
import java.util.Arrays;

/**
 * Who is asked for a Kerberos ticket before its request is looked at further: browsers show none
 * unasked. Immutable, for any thread.
 */
final class Challenge {
  /** By this parameter of the URL a page asks to be asked. */
  private static final String WISH = "auth=negotiate";

  private final boolean everybody;
  private final boolean onWish;

  /**
   * @param mode auto, always or never; null if the node accepts no tickets
   * @param otherWay whether clients need no ticket; certificates do not count, because a client
   *     cannot show one later
   */
  Challenge(String mode, boolean otherWay) {
    this.onWish = "auto".equals(mode);
    this.everybody = "always".equals(mode) || onWish && !otherWay;
  }

  /**
   * The question, or null if there is none.
   *
   * @param shown null if the request shows no credential
   * @param query of the URL, or null
   */
  Refusal of(Credential shown, String query) {
    boolean due = shown == null && (everybody || onWish && isWished(query));
    return due ? Refusal.unauthorized() : null;
  }

  private static boolean isWished(String query) {
    return query != null && Arrays.asList(query.split("&")).contains(WISH);
  }
}
