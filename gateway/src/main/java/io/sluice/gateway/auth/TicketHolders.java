package io.sluice.gateway.auth;

import com.sun.security.jgss.ExtendedGSSContext;
import com.sun.security.jgss.InquireType;
import io.sluice.gateway.auth.AuthenticationFailure.Reason;
import io.sluice.gateway.auth.Principal.Mechanism;
import io.sluice.gateway.config.AuthSettings;
import io.sluice.gateway.config.Config;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Collectors;
import org.ietf.jgss.GSSContext;
import org.ietf.jgss.GSSException;

/** Tells whom an accepted ticket stands for, and who of them may come. For any thread. */
final class TicketHolders {
  /** RFC 8062: names that stand for nobody. */
  private static final String NOBODY = "WELLKNOWN/";

  private static final DateTimeFormatter KERBEROS_TIME =
      DateTimeFormatter.ofPattern("yyyyMMddHHmmss'Z'");

  private final Set<String> realms;
  private final String localRealm;
  private final boolean lowerCase;
  private final long sessionMs;

  TicketHolders(Config config) {
    this.realms = realms(config);
    this.localRealm = config.get(AuthSettings.KERBEROS_LOCAL_REALM);
    this.lowerCase = config.get(AuthSettings.KERBEROS_LOWER_CASE);
    this.sessionMs = config.get(AuthSettings.KERBEROS_SESSION).toMillis();
  }

  private static Set<String> realms(Config config) {
    List<String> named = config.get(AuthSettings.KERBEROS_REALMS);
    return named.isEmpty()
        ? config.get(AuthSettings.KERBEROS_PRINCIPAL).stream()
            .map(name -> name.substring(name.lastIndexOf('@') + 1))
            .collect(Collectors.toUnmodifiableSet())
        : Set.copyOf(named);
  }

  /** The client of a context that is established. */
  Principal principal(GSSContext context) throws GSSException, AuthenticationFailure {
    String told = context.getSrcName().toString();
    int at = told.lastIndexOf('@');
    String user = told.substring(0, Math.max(at, 0));
    String realm = told.substring(at + 1);
    check(user, realm);
    if (lowerCase) {
      user = user.toLowerCase(Locale.ROOT);
    }
    String whole = user + "@" + realm;
    String name = realm.equals(localRealm) ? user : whole;
    return new Principal(
        name,
        Mechanism.KERBEROS,
        "",
        issuedMs(context),
        endMs(),
        Map.of("sub", name, "principal", whole, "realm", realm));
  }

  /** Without its realm a name must not be taken for another one's, with it or without. */
  private void check(String user, String realm) throws AuthenticationFailure {
    if (!realms.contains(realm)) {
      throw refused("clients of this ticket's realm are not let in here");
    }
    if (user.isEmpty() || user.startsWith(NOBODY)) {
      throw refused("the ticket names nobody");
    }
    if (user.chars().anyMatch(c -> c == '@' || c == '\\' || Character.isISOControl(c))) {
      throw refused("the ticket's name has a character that no name may have here");
    }
  }

  /**
   * When the client has shown its password, or what it has, to its KDC: tickets made of that later
   * are no younger.
   */
  private static long issuedMs(GSSContext context) throws GSSException {
    if (!(context instanceof ExtendedGSSContext extended)) {
      return 0;
    }
    Object told = extended.inquireSecContext(InquireType.KRB5_GET_AUTHTIME);
    try {
      return LocalDateTime.parse(String.valueOf(told), KERBEROS_TIME)
          .toInstant(ZoneOffset.UTC)
          .toEpochMilli();
    } catch (DateTimeParseException unknown) {
      return 0; // counts as old
    }
  }

  // JGSS does not tell when a ticket ends. Clients that came at once must not all come back so.
  private long endMs() {
    long less = ThreadLocalRandom.current().nextLong(sessionMs / 10 + 1);
    return System.currentTimeMillis() + sessionMs - less;
  }

  private static AuthenticationFailure refused(String message) {
    return new AuthenticationFailure(Reason.REFUSED, message);
  }
}
