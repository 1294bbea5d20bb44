package io.sluice.gateway.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.handler.codec.http.QueryStringDecoder;
import io.sluice.gateway.auth.Credential;
import io.sluice.gateway.config.AuthSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.handshake.HandshakeFuzz;
import io.vertx.core.MultiMap;
import java.util.List;

/** Reads credentials from lines: the first is the URL, the others are headers. */
public final class CredentialsFuzz {
  private static final RequestCredentials CREDENTIALS =
      ClientPortOptions.credentials(
          Config.defaults()
              .with(AuthSettings.COOKIE, "session")
              .with(AuthSettings.QUERY_PARAMETER, "access_token"));

  private CredentialsFuzz() {}

  public static void fuzzerTestOneInput(byte[] input) {
    String[] lines = new String(input, ISO_8859_1).split("\r?\n", -1);
    MultiMap headers = MultiMap.caseInsensitiveMultiMap();
    HandshakeFuzz.headers(lines).forEach(headers::add);
    Credential found = CREDENTIALS.of(headers::getAll, name -> parameter(lines[0], name));
    if (found instanceof Credential.Token token) {
      assertThat(token.value()).isNotNull();
    } else if (found instanceof Credential.Ticket ticket) {
      assertThat(headers.get("Authorization")).startsWithIgnoringCase("negotiate ");
      assertThat(ticket.value()).isNotNull();
    }
  }

  private static String parameter(String url, String name) {
    List<String> values = new QueryStringDecoder(url).parameters().get(name);
    return values == null ? null : values.get(0);
  }
}
