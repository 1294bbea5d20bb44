package io.sluice.gateway.auth;

import io.sluice.gateway.auth.AuthenticationFailure.Reason;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.ietf.jgss.GSSException;

/** Why the JDK has not accepted a ticket, in words for clients. Constants only. */
final class TicketProblem {
  /** JGSS tells the error of RFC 4120 by its number in the text alone: {@code … expired (32)}. */
  private static final Pattern NUMBER = Pattern.compile("\\((\\d{1,3})\\)");

  private static final int EXPIRED = 32;
  private static final int NOT_YET_VALID = 33;
  private static final int REPEATED = 34;
  private static final int SKEW = 37;

  private TicketProblem() {}

  static AuthenticationFailure of(GSSException refused) {
    if (refused.getMajor() == GSSException.DEFECTIVE_TOKEN) {
      return malformed(refused);
    }
    int number = number(refused.getMessage());
    Reason reason = number == EXPIRED ? Reason.EXPIRED : Reason.REFUSED;
    return new AuthenticationFailure(reason, words(number), refused);
  }

  static AuthenticationFailure malformed(Exception cause) {
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
}
