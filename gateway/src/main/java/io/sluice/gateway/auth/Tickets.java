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
 * Checks Kerberos tickets, on the threads for it. All cryptography is the JDK's, and so is the
 * memory of tickets that were shown already. For any thread.
 */
final class Tickets implements Authenticator {
  private static final Logger log = LoggerFactory.getLogger(Tickets.class);

  /** Begins every message of NTLM, also inside of SPNEGO. */
  private static final String NTLM = "NTLMSSP\0";

  /** JGSS tells the error of RFC 4120 by its number in the text alone: {@code … expired (32)}. */
  private static final Pattern NUMBER = Pattern.compile("\\((\\d{1,3})\\)");

  private static final int EXPIRED = 32;
  private static final int NOT_YET_VALID = 33;
  private static final int REPEATED = 34;
  private static final int SKEW = 37;

  /** RFC 8062: names that stand for nobody. */
  private static final String NOBODY = "WELLKNOWN/";

  private static final DateTimeFormatter KERBEROS_TIME =
      DateTimeFormatter.ofPattern("yyyyMMddHHmmss'Z'");

  private final ServiceKeys keys;
  private final KerberosOptions options;
  private final CheckThreads threads;
  private final long mostBytes;

  /** What was told last of the keytab, so that it is told once; empty if it was fine. */
  private volatile String trouble = "";

  private Tickets(AuthOptions options, ServiceKeys keys, CheckThreads threads) {
    this.keys = keys;
    this.options = options.kerberos();
    this.threads = threads;
    this.mostBytes = options.mostBytes();
  }

  /**
   * Gets ready as configured.
   *
   * @param threads where tickets are checked
   * @return empty if the node takes no tickets
   */
  static Optional<Tickets> open(AuthOptions options, CheckThreads threads) throws UnusableAuth {
    return options.kerberos().keytab().isEmpty()
        ? Optional.empty()
        : Optional.of(new Tickets(options, ServiceKeys.open(options.kerberos()), threads));
  }

  @Override
  public CompletionStage<Principal> authenticate(Credential credential) {
    byte[] ticket = ((Credential.Ticket) credential).value();
    if (ticket.length == 0) {
      return AuthenticationFailure.stage(Reason.MALFORMED, "the ticket is empty, or not in base64");
    }
    if (ticket.length > mostBytes) {
      return AuthenticationFailure.stage(
          Reason.MALFORMED, "the ticket is longer than " + mostBytes + " bytes");
    }
    if (new String(ticket, StandardCharsets.ISO_8859_1).contains(NTLM)) {
      return AuthenticationFailure.stage(
          Reason.REFUSED,
          "this is NTLM, which this node does not take: the client has no Kerberos ticket for it");
    }
    return threads.check(() -> check(ticket));
  }

  private CompletionStage<Principal> check(byte[] ticket) {
    try {
      return CompletableFuture.completedFuture(accept(ticket));
    } catch (GSSException e) {
      log.atDebug().setCause(e).log("a ticket is not accepted");
      return CompletableFuture.failedFuture(failure(e));
    } catch (AuthenticationFailure e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private Principal accept(byte[] ticket) throws GSSException, AuthenticationFailure {
    GSSContext context = keys.context();
    try {
      show(ticket, context);
      if (!context.isEstablished()) {
        throw new AuthenticationFailure(
            Reason.REFUSED, "the first message must hold a Kerberos ticket; there is no second");
      }
      trouble = "";
      return principal(context);
    } finally {
      context.dispose();
    }
  }

  /** Its answer is for clients that want the node to prove itself, which TLS has done. */
  private static void show(byte[] ticket, GSSContext context)
      throws GSSException, AuthenticationFailure {
    try {
      context.acceptSecContext(ticket, 0, ticket.length);
    } catch (RuntimeException e) { // the JDK's parsers of SPNEGO throw these at strange bytes
      throw malformed(e);
    }
  }

  private AuthenticationFailure failure(GSSException refused) {
    String problem = keys.problem();
    if (!problem.isEmpty()) {
      tellOnce(problem);
      return new AuthenticationFailure(
          Reason.UNAVAILABLE, "this node cannot read its keys just now", refused);
    }
    trouble = "";
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
        Reason.MALFORMED, "this is neither SPNEGO nor Kerberos", cause);
  }

  private static int number(String message) {
    Matcher found = NUMBER.matcher(message == null ? "" : message);
    return found.find() ? Integer.parseInt(found.group(1)) : 0;
  }

  private static String words(int number) {
    return switch (number) {
      case EXPIRED -> "the ticket has ended";
      case NOT_YET_VALID -> "the ticket does not hold yet";
      case REPEATED -> "this very ticket was shown before; each connection needs a fresh one";
      case SKEW -> "the clocks of client and node are more than five minutes apart";
      default -> "the ticket is not for this service, or for a key that it no longer has";
    };
  }

  private void tellOnce(String problem) {
    if (!problem.equals(trouble)) {
      trouble = problem;
      log.atError().addKeyValue("problem", keys.file() + " " + problem).log("auth.keytab-unusable");
    }
  }

  /** The client of a context that is established. */
  private Principal principal(GSSContext context) throws GSSException, AuthenticationFailure {
    String told = context.getSrcName().toString();
    int at = told.lastIndexOf('@');
    String user = told.substring(0, Math.max(at, 0));
    String realm = told.substring(at + 1);
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

  /** Without its realm a name must not be taken for another one's, with it or without. */
  private void check(String user, String realm) throws AuthenticationFailure {
    if (!options.realms().contains(realm)) {
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
    long sessionMs = options.session().toMillis();
    long less = ThreadLocalRandom.current().nextLong(sessionMs / 10 + 1);
    return System.currentTimeMillis() + sessionMs - less;
  }

  private static AuthenticationFailure refused(String message) {
    return new AuthenticationFailure(Reason.REFUSED, message);
  }

  @Override
  public void close() {
    // The threads are not its own, and the JDK keeps no file open.
  }
}
