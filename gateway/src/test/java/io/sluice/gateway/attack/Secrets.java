package io.sluice.gateway.attack;

import io.sluice.gateway.auth.TestIssuer;
import io.sluice.gateway.auth.TestKey;
import io.sluice.testkit.TestCertificate;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jose4j.jwt.JwtClaims;

/**
 * Keys of the attacked nodes, as files, tokens of their users, and the issuer of opaque ones.
 *
 * @param folder of the files
 * @param tokenKey public, PEM
 * @param certificate RSA, whose handshake is the most expensive
 * @param tokens JWTs of {@link Users#ALL}, and one with an invalid signature
 * @param issuer accepts tokens with the prefix {@link Users#OPAQUE}; the rest is the user
 */
record Secrets(
    Path folder, Path tokenKey, TestCertificate certificate, Tokens tokens, TestIssuer issuer)
    implements AutoCloseable {
  private static final String ALGORITHM = "ES256";
  private static final String PREFIX = "token=" + Users.OPAQUE;

  static Secrets create(Path folder) {
    TestKey key = TestKey.create(null, ALGORITHM);
    Map<String, String> tokens = new HashMap<>();
    for (String user : Users.ALL) {
      JwtClaims claims = TestKey.claims();
      claims.setSubject(user);
      claims.setStringListClaim(Users.CLAIM, List.of(user));
      tokens.put(user, key.sign(claims));
    }
    tokens.put(Tokens.BAD, TestKey.create(null, ALGORITHM).sign(TestKey.claims()));
    TestIssuer issuer = TestIssuer.start();
    issuer.introspection(Secrets::introspection);
    return new Secrets(
        folder,
        write(folder.resolve("token-key.pem"), key.pair().getPublic().getEncoded()),
        TestCertificate.create(folder, "node", "RSA"),
        new Tokens(tokens),
        issuer);
  }

  private static String introspection(String request) {
    if (!request.startsWith(PREFIX)) {
      return "{\"active\":false}";
    }
    String user = request.substring(PREFIX.length());
    return "{\"active\":true,\"sub\":\"%s\",\"%s\":[\"%s\"]}".formatted(user, Users.CLAIM, user);
  }

  private static Path write(Path file, byte[] key) {
    try {
      return TestCertificate.write(file, "PUBLIC KEY", key);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Audit log of the nodes with rules. */
  Path audit() {
    return folder.resolve("audit.log");
  }

  /** Returns how many refusals of a user are in the audit log; 0 without a log. */
  long refusals(String user) {
    if (!Files.exists(audit())) {
      return 0;
    }
    try (var lines = Files.lines(audit())) {
      return lines
          .filter(line -> line.contains("\"event\":\"refused\""))
          .filter(line -> line.contains("\"subject\":\"" + user + '"'))
          .count();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    issuer.close();
  }
}
