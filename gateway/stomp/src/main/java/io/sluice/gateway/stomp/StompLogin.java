package io.sluice.gateway.stomp;

import java.util.regex.Pattern;

/** Token of CONNECT in the headers of stock clients. Stateless, for any thread. */
final class StompLogin {
  private static final String BEARER = "Bearer ";
  private static final Pattern JWT =
      Pattern.compile("[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]+");

  private StompLogin() {}

  /**
   * Returns the token: {@code Authorization: Bearer}, {@code passcode} or {@code login}; empty
   * without any. Of two, the one in the form of a JWT counts, otherwise the passcode.
   */
  static String token(StompFrame connect) {
    String authorization = connect.headers().first("Authorization", "authorization");
    if (authorization != null && authorization.regionMatches(true, 0, BEARER, 0, BEARER.length())) {
      return authorization.substring(BEARER.length()).strip();
    }
    String login = text(connect, "login");
    String passcode = text(connect, "passcode");
    boolean isInLogin = passcode.isEmpty() || isJwt(login) && !isJwt(passcode);
    return isInLogin ? login : passcode;
  }

  private static String text(StompFrame connect, String name) {
    String value = connect.header(name);
    return value == null ? "" : value.strip();
  }

  private static boolean isJwt(String text) {
    return JWT.matcher(text).matches();
  }
}
