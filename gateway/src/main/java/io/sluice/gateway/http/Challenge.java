package io.sluice.gateway.http;

import io.sluice.gateway.auth.Credential;
import io.sluice.gateway.config.AuthSettings;
import io.sluice.gateway.config.Config;
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

  Challenge(Config config) {
    boolean tickets = !config.get(AuthSettings.KERBEROS_KEYTAB).isEmpty();
    String who = config.get(AuthSettings.KERBEROS_CHALLENGE);
    boolean auto = tickets && who.equals("auto");
    this.everybody = tickets && who.equals("always") || auto && !hasOtherWay(config);
    this.onWish = auto;
  }

  /** Certificates do not count: a client without one can't show one later. */
  private static boolean hasOtherWay(Config config) {
    return config.get(AuthSettings.ANONYMOUS) || AuthSettings.takesTokens(config);
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
