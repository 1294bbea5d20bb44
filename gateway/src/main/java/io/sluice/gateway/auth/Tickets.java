package io.sluice.gateway.auth;

import io.sluice.gateway.auth.AuthenticationFailure.Reason;
import io.sluice.gateway.config.AuthSettings;
import io.sluice.gateway.config.Config;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
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

  private final ServiceKeys keys;
  private final TicketHolders holders;
  private final CheckThreads threads;
  private final long mostBytes;

  /** What was told last of the keytab, so that it is told once; empty if it was fine. */
  private volatile String trouble = "";

  private Tickets(Config config, ServiceKeys keys, CheckThreads threads) {
    this.keys = keys;
    this.holders = new TicketHolders(config);
    this.threads = threads;
    this.mostBytes = config.get(AuthSettings.TOKEN_BYTES);
  }

  /**
   * Gets ready as configured.
   *
   * @param threads where tickets are checked
   * @return empty if the node takes no tickets
   */
  static Optional<Tickets> open(Config config, CheckThreads threads) throws UnusableAuth {
    return config.get(AuthSettings.KERBEROS_KEYTAB).isEmpty()
        ? Optional.empty()
        : Optional.of(new Tickets(config, ServiceKeys.open(config), threads));
  }

  @Override
  public CompletionStage<Principal> authenticate(Credential credential) {
    byte[] ticket = ((Credential.Ticket) credential).value();
    if (ticket.length == 0) {
      return Refusals.of(Reason.MALFORMED, "the ticket is empty, or not in base64");
    }
    if (ticket.length > mostBytes) {
      return Refusals.of(Reason.MALFORMED, "the ticket is longer than " + mostBytes + " bytes");
    }
    if (new String(ticket, StandardCharsets.ISO_8859_1).contains(NTLM)) {
      return Refusals.of(
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
      return holders.principal(context);
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
      throw TicketProblem.malformed(e);
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
    return TicketProblem.of(refused);
  }

  private void tellOnce(String problem) {
    if (!problem.equals(trouble)) {
      trouble = problem;
      log.atError().addKeyValue("problem", keys.file() + " " + problem).log("auth.keytab-unusable");
    }
  }

  @Override
  public void close() {
    // The threads are not its own, and the JDK keeps no file open.
  }
}
