package io.sluice.gateway.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.SecureRandom;
import java.util.Base64;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Secret texts and a search for them. Confined to one thread. */
final class Secrets {
  /** Of an encoded text, enough that it is no accident and that its end does not matter. */
  private static final int TELLING = 20;

  private final Map<String, String> texts = new LinkedHashMap<>();

  /** Returns a unique text. */
  String make(String name) {
    byte[] bytes = new byte[12];
    new SecureRandom().nextBytes(bytes);
    return keep(name, "secret-" + HexFormat.of().formatHex(bytes));
  }

  /** Looks for this text, too, and returns it. */
  String keep(String name, String text) {
    texts.put(name, text);
    return text;
  }

  /** Looks for what is inside the lines of a PEM file, too. */
  void keepPem(String name, String pem) {
    pem.lines()
        .filter(line -> !line.startsWith("-") && line.length() > TELLING)
        .forEach(line -> keep(name + " " + texts.size(), line));
  }

  /** Returns the names of the secrets found in a text, plain or encoded, with their lines. */
  List<String> in(String text) {
    return text.lines()
        .flatMap(
            line ->
                texts.entrySet().stream()
                    .filter(secret -> forms(secret.getValue()).anyMatch(line::contains))
                    .map(secret -> secret.getKey() + ": " + line))
        .toList();
  }

  // Of a JWT the claims and the signature; its header is the same in all of them.
  private static Stream<String> forms(String secret) {
    String[] parts = secret.split("\\.");
    if (parts.length == 3) {
      return Stream.of(beginning(parts[1]), beginning(parts[2]));
    }
    String base64 = Base64.getEncoder().encodeToString(secret.getBytes(UTF_8));
    return Stream.of(secret, beginning(base64));
  }

  private static String beginning(String text) {
    return text.substring(0, Math.min(TELLING, text.length()));
  }
}
