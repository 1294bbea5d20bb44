package io.sluice.client;

import io.sluice.client.internal.Frame;
import io.sluice.client.internal.Json;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Map;

/** Subject of a client, whose sessions never have another one. Any thread may call it. */
final class Identity {
  /** Subject that the latest token states; null before one, and if it states none. */
  private String stated;

  /** Subject that the node has named; null before a hello, and at older nodes. */
  private String named;

  /** Records a token; throws {@code identity-changed} if it has another subject than before. */
  synchronized void onToken(String token) {
    String before = stated;
    stated = subject(token);
    // The node may use another claim.
    boolean isComparable = named == null || named.equals(before);
    if (before != null && isComparable && !before.equals(stated)) {
      throw changed(before, stated);
    }
  }

  /** Records a hello; throws {@code identity-changed} if it has another subject than before. */
  synchronized void onHello(Frame hello) {
    String before = named;
    String subject = hello.optionalText("subject");
    named = subject == null ? before : subject;
    if (before != null && !before.equals(named)) {
      throw changed(before, named);
    }
  }

  private static SluiceException changed(String before, String after) {
    return new SluiceException(
        SluiceException.IDENTITY_CHANGED,
        "the credential has changed from " + before + " to " + after);
  }

  /** Returns the subject of a JWT; empty without a credential, null for other credentials. */
  static String subject(String token) {
    if (token == null || token.isEmpty()) {
      return "";
    }
    String[] parts = token.split("\\.", -1);
    try {
      byte[] claims = Base64.getUrlDecoder().decode(parts[parts.length > 1 ? 1 : 0]);
      Object json = Json.parse(new String(claims, StandardCharsets.UTF_8));
      Object subject = json instanceof Map ? ((Map<?, ?>) json).get("sub") : null;
      return subject instanceof String ? (String) subject : null;
    } catch (RuntimeException e) { // no JWT
      return null;
    }
  }
}
