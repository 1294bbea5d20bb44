package io.sluice.gateway.auth;

import com.sun.security.jgss.ExtendedGSSContext;
import com.sun.security.jgss.InquireType;
import io.sluice.gateway.auth.AuthOptions.KerberosOptions;
import io.sluice.gateway.auth.AuthenticationFailure.Reason;
import io.sluice.gateway.auth.Principal.Mechanism;
import java.nio.charset.StandardCharsets;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ThreadLocalRandom;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.ietf.jgss.GSSContext;
import org.ietf.jgss.GSSException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Authenticator of Kerberos tickets. The JDK provides all cryptography and the replay cache. For
 * any thread.
 */
final class KerberosTickets implements Authenticator {
  private static final Logger log = LoggerFactory.getLogger(KerberosTickets.class);

  /** Start of every NTLM message, also inside SPNEGO. */
  private static final String NTLM = "NTLMSSP\0";

  /** JGSS reports the error number of RFC 4120 only in the message: {@code … expired (32)}. */
  private static final Pattern NUMBER = Pattern.compile("\\((\\d{1,3})\\)");

  private static final int EXPIRED = 32;
  private static final int NOT_YET_VALID = 33;
  private static final int REPEATED = 34;
  private static final int SKEW = 37;

  /** RFC 8062: prefix of anonymous principals. */
  private static final String ANONYMOUS = "WELLKNOWN/";

  private static final DateTimeFormatter KERBEROS_TIME =
      DateTimeFormatter.ofPattern("yyyyMMddHHmmss'Z'");

  private final ServiceKeys keys;
  private final KerberosOptions options;
  private final AuthExecutor threads;

  /** Problem of the keytab that was logged last, so that it is logged once; empty if none. */
  private volatile String lastProblem = "";

  private KerberosTickets(AuthOptions options, ServiceKeys keys, AuthExecutor threads) {
    this.keys = keys;
    this.options = options.kerberos();
    this.threads = threads;
  }

  /**
   * Opens the keytab as configured.
   *
   * @param threads run the checks
   * @return empty if tickets are not accepted
   */
  static Optional<KerberosTickets> open(AuthOptions options, AuthExecutor threads)
      throws UnusableAuth {
    return options.kerberos().keytab().isEmpty()
        ? Optional.empty()
        : Optional.of(new KerberosTickets(options, ServiceKeys.open(options.kerberos()), threads));
  }

  @Override
  public CompletionStage<Principal> authenticate(Credential credential, String address) {
    byte[] ticket = ((Credential.Ticket) credential).value();
    if (ticket.length == 0) {
      return AuthenticationFailure.stage(Reason.MALFORMED, "the ticket is empty, or not in base64");
    }
    if (ticket.length > TokenAuthenticator.MAX_BYTES) {
      return AuthenticationFailure.stage(
          Reason.MALFORMED, "the ticket is longer than " + TokenAuthenticator.MAX_BYTES + " bytes");
    }
    if (new String(ticket, StandardCharsets.ISO_8859_1).contains(NTLM)) {
      return AuthenticationFailure.stage(
          Reason.REFUSED,
          "this is NTLM, which this node does not accept: the client has no Kerberos ticket for"
              + " it");
    }
    return threads.check(address, () -> check(ticket));
  }

  private CompletionStage<Principal> check(byte[] ticket) {
    try {
      return CompletableFuture.completedFuture(accept(ticket));
    } catch (GSSException e) {
      log.atDebug().setCause(e).log("Kerberos ticket rejected");
      return CompletableFuture.failedFuture(failure(e));
    } catch (AuthenticationFailure e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private Principal accept(byte[] ticket) throws GSSException, AuthenticationFailure {
    GSSContext context = keys.context();
    try {
      acceptTicket(ticket, context);
      if (!context.isEstablished()) {
        throw new AuthenticationFailure(
            Reason.REFUSED, "the first message must contain a Kerberos ticket; there is no second");
      }
      lastProblem = "";
      return principal(context);
    } finally {
      context.dispose();
    }
  }

  /**
   * Passes the ticket to the context. Its response is discarded: it serves mutual authentication,
   * which TLS provides.
   */
  private static void acceptTicket(byte[] ticket, GSSContext context)
      throws GSSException, AuthenticationFailure {
    try {
      context.acceptSecContext(ticket, 0, ticket.length);
    } catch (RuntimeException e) { // the JDK's SPNEGO parsers throw these on malformed input
      throw malformed(e);
    }
  }

  private AuthenticationFailure failure(GSSException refused) {
    String problem = keys.problem();
    if (!problem.isEmpty()) {
      logOnce(problem);
      return new AuthenticationFailure(
          Reason.UNAVAILABLE, "this node cannot read its keytab", refused);
    }
    lastProblem = "";
    return notAccepted(refused);
  }

  private static AuthenticationFailure notAccepted(GSSException refused) {
    if (refused.getMajor() == GSSException.DEFECTIVE_TOKEN) {
      return malformed(refused);
    }
    int number = number(refused.getMessage());
    Reason reason = number == EXPIRED ? Reason.EXPIRED : Reason.REFUSED;
    return new AuthenticationFailure(reason, words(number), refused);
  }

  private static AuthenticationFailure malformed(Exception cause) {
    return new AuthenticationFailure(
        Reason.MALFORMED, "the ticket is neither SPNEGO nor Kerberos", cause);
  }

  private static int number(String message) {
    Matcher found = NUMBER.matcher(message == null ? "" : message);
    return found.find() ? Integer.parseInt(found.group(1)) : 0;
  }

  private static String words(int number) {
    return switch (number) {
      case EXPIRED -> "the ticket has expired";
      case NOT_YET_VALID -> "the ticket is not valid yet";
      case REPEATED -> "the ticket was used before; each connection needs a new one";
      case SKEW -> "the clocks of client and node are more than five minutes apart";
      default ->
          "the ticket is for another service, or for a key that the keytab no longer contains";
    };
  }

  private void logOnce(String problem) {
    if (!problem.equals(lastProblem)) {
      lastProblem = problem;
      log.atError().addKeyValue("problem", keys.file() + " " + problem).log("auth.keytab-unusable");
    }
  }

  /** The client of a context that is established. */
  private Principal principal(GSSContext context) throws GSSException, AuthenticationFailure {
    String source = context.getSrcName().toString();
    int at = source.lastIndexOf('@');
    String user = source.substring(0, Math.max(at, 0));
    String realm = source.substring(at + 1);
    check(user, realm);
    if (options.lowerCase()) {
      user = user.toLowerCase(Locale.ROOT);
    }
    String whole = user + "@" + realm;
    String name = realm.equals(options.localRealm()) ? user : whole;
    return new Principal(
        name,
        Mechanism.KERBEROS,
        "",
        issuedMs(context),
        endMs(),
        Map.of("sub", name, "principal", whole, "realm", realm));
  }

  /** Checks that a name without its realm cannot be confused with another principal. */
  private void check(String user, String realm) throws AuthenticationFailure {
    if (!options.realms().contains(realm)) {
      throw refused("the ticket's realm is not accepted by this node");
    }
    if (user.isEmpty() || user.startsWith(ANONYMOUS)) {
      throw refused("the ticket names no user");
    }
    if (user.chars().anyMatch(c -> c == '@' || c == '\\' || Character.isISOControl(c))) {
      throw refused(
          "the ticket's user name has a character that is not allowed: @, \\ or a control"
              + " character");
    }
  }

  /**
   * Returns the time at which the client authenticated at its KDC. Tickets that are derived from
   * that authentication later have the same time.
   */
  private static long issuedMs(GSSContext context) throws GSSException {
    if (!(context instanceof ExtendedGSSContext extended)) {
      return 0;
    }
    Object authTime = extended.inquireSecContext(InquireType.KRB5_GET_AUTHTIME);
    try {
      return LocalDateTime.parse(String.valueOf(authTime), KERBEROS_TIME)
          .toInstant(ZoneOffset.UTC)
          .toEpochMilli();
    } catch (DateTimeParseException unknown) {
      return 0; // counts as old
    }
  }

  // JGSS does not report a ticket's expiry. The jitter spreads the reconnects of clients that
  // connected together.
  private long endMs() {
    long sessionMs = options.session().toMillis();
    long jitterMs = ThreadLocalRandom.current().nextLong(sessionMs / 10 + 1);
    return System.currentTimeMillis() + sessionMs - jitterMs;
  }

  private static AuthenticationFailure refused(String message) {
    return new AuthenticationFailure(Reason.REFUSED, message);
  }

  @Override
  public void close() {
    // The threads belong to the caller, and the JDK keeps no file open.
  }
}
