package io.sluice.gateway.auth;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.sluice.gateway.auth.AuthenticationFailure.Reason;
import io.sluice.gateway.config.AuthSettings;
import io.sluice.gateway.config.Config;
import java.io.ByteArrayOutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Test with tickets of a real KDC; skipped if none is installed. */
@Timeout(180)
final class KerberosTicketsIT {
  private static final String SERVICE = "HTTP/gw.sluice.test@" + TestKdc.REALM;
  private static final String SECOND = "HTTP/second.sluice.test@" + TestKdc.REALM;
  private static final String STRANGE = "HTTP/elsewhere.sluice.test@" + TestKdc.REALM;
  private static final String ALICE = "alice@" + TestKdc.REALM;
  private static final String ADMIN = "alice/admin@" + TestKdc.REALM;
  private static final String LOUD = "ALICE@" + TestKdc.REALM;
  private static final String FOREIGN = "alice@" + TestKdc.OTHER_REALM;

  @TempDir private static Path folder;

  private static TestKdc kdc;
  private static Path alice;
  private static Path loud;
  private static Path foreign;
  private static Path keytab;

  @BeforeAll
  static void start() throws Exception {
    Optional<TestKdc> started = TestKdc.start(folder);
    assumeThat(started).as("a KDC, see above").isPresent();
    kdc = started.get();
    kdc.add(SERVICE, SECOND, STRANGE, ALICE, ADMIN, LOUD, FOREIGN);
    kdc.limit(STRANGE, "5 min");
    alice = kdc.keytab(ALICE, ADMIN);
    loud = kdc.keytab(LOUD); // a separate file: the JDK ignores the case of names
    foreign = kdc.keytab(FOREIGN);
    keytab = kdc.keytab(SERVICE, SECOND, STRANGE);
  }

  @AfterAll
  static void stop() throws Exception {
    if (kdc != null) {
      kdc.close();
    }
  }

  private static Config config(String... principals) {
    return Config.defaults()
        .with(AuthSettings.KERBEROS_KEYTAB, keytab.toString())
        .with(AuthSettings.KERBEROS_PRINCIPAL, List.of(principals));
  }

  private static Authentication open(Config config) throws UnusableAuth {
    return Answers.openChecked(config);
  }

  private static Principal check(Authentication by, byte[] ticket) {
    return by.authenticate(new Credential.Ticket(ticket), "").toCompletableFuture().join();
  }

  private static AuthenticationFailure refused(Authentication by, byte[] ticket) {
    try {
      throw new AssertionError(check(by, ticket) + " was let in");
    } catch (CompletionException e) {
      assertThat(e.getCause()).isInstanceOf(AuthenticationFailure.class);
      return (AuthenticationFailure) e.getCause();
    }
  }

  private static void assertRefused(
      Authentication by, byte[] ticket, Reason reason, String message) {
    AuthenticationFailure failure = refused(by, ticket);
    assertThat(failure).hasMessageContaining(message);
    assertThat(failure.reason()).as(failure.getMessage()).isEqualTo(reason);
  }

  @Test
  void shouldAcceptATicketWithAndWithoutSpnego() throws Exception {
    try (Authentication authentication = open(config(SERVICE))) {
      long beforeMs = System.currentTimeMillis() / 1000 * 1000;
      byte[] wrapped = kdc.ticket(alice, ALICE, SERVICE);
      byte[] bare = kdc.bareTicket(alice, ALICE, SERVICE);
      Principal principal = check(authentication, wrapped);
      assertThat(principal.name()).isEqualTo(ALICE);
      assertThat(principal.mechanism()).isEqualTo(Principal.Mechanism.KERBEROS);
      assertThat(principal.claims())
          .containsEntry("sub", ALICE)
          .containsEntry("principal", ALICE)
          .containsEntry("realm", TestKdc.REALM);
      assertThat(principal.issuedMs()).isBetween(beforeMs, System.currentTimeMillis());
      assertThat(check(authentication, bare).name()).isEqualTo(ALICE);
    }
  }

  @Test
  void shouldDistinguishNamesByCaseUnlessConfiguredOtherwise() throws Exception {
    byte[] ticket = kdc.ticket(loud, LOUD, SERVICE);
    byte[] again = kdc.ticket(loud, LOUD, SERVICE);
    Config lowerCase = config(SERVICE).with(AuthSettings.KERBEROS_LOWER_CASE, true);
    try (Authentication asTold = open(config(SERVICE));
        Authentication lowered = open(lowerCase)) {
      assertThat(check(asTold, ticket).name()).isEqualTo(LOUD);
      Principal principal = check(lowered, again);
      assertThat(principal.name()).isEqualTo(ALICE);
      assertThat(principal.claims()).containsEntry("sub", ALICE).containsEntry("principal", ALICE);
    }
  }

  @Test
  void shouldAcceptTicketsOfWindowsClients() throws Exception {
    try (Authentication authentication = open(config(SERVICE))) {
      byte[] bare = kdc.bareTicket(alice, ALICE, SERVICE);
      String microsoft = "06092a864882f71201020206092a864886f712010202";
      String ntlm = "060a2b06010401823702020a";
      assertThat(check(authentication, spnego(microsoft + ntlm, bare)).name()).isEqualTo(ALICE);
    }
  }

  @Test
  void shouldLimitTheSessionIfTheTicketsExpiryIsUnknown() throws Exception {
    try (Authentication authentication = open(config(SERVICE))) {
      Principal principal = check(authentication, kdc.ticket(alice, ALICE, SERVICE));
      long leftMs = principal.expiresMs() - System.currentTimeMillis();
      assertThat(leftMs).isBetween(3_180_000L, 3_600_000L);
    }
  }

  @Test
  void shouldAcceptATicketOnlyOnce() throws Exception {
    try (Authentication authentication = open(config(SERVICE))) {
      byte[] ticket = kdc.ticket(alice, ALICE, SERVICE);
      check(authentication, ticket);
      assertRefused(authentication, ticket, Reason.REFUSED, "used before");
    }
  }

  @Test
  void shouldAcceptTicketsOnlyForTheConfiguredPrincipals() throws Exception {
    try (Authentication one = open(config(SERVICE));
        Authentication two = open(config(SERVICE, SECOND));
        Authentication all =
            open(config("*").with(AuthSettings.KERBEROS_REALMS, List.of(TestKdc.REALM)))) {
      byte[] second = kdc.ticket(alice, ALICE, SECOND);
      assertRefused(one, second, Reason.REFUSED, "for another service");
      assertThat(check(two, second).name()).isEqualTo(ALICE);
      byte[] strange = kdc.ticket(alice, ALICE, STRANGE);
      assertRefused(two, strange, Reason.REFUSED, "for another service");
      assertThat(check(all, strange).name()).isEqualTo(ALICE);
    }
  }

  @Test
  void shouldRefuseAnExpiredTicket() throws Exception {
    try (Authentication authentication = open(config(STRANGE))) {
      byte[] old = kdc.oldTicket(alice, ALICE, STRANGE, 1200);
      assertRefused(authentication, old, Reason.EXPIRED, "the ticket has expired");
    }
  }

  @Test
  void shouldDistinguishNamesOfRealmsAndInstances() throws Exception {
    Config local = config(SERVICE).with(AuthSettings.KERBEROS_LOCAL_REALM, TestKdc.REALM);
    try (Authentication own = open(local);
        Authentication both =
            open(
                local.with(
                    AuthSettings.KERBEROS_REALMS, List.of(TestKdc.REALM, TestKdc.OTHER_REALM)))) {
      byte[] ticket = kdc.ticket(foreign, FOREIGN, SERVICE);
      assertRefused(own, ticket, Reason.REFUSED, "realm");
      Principal stranger = check(both, kdc.ticket(foreign, FOREIGN, SERVICE));
      assertThat(stranger.name()).isEqualTo(FOREIGN);
      assertThat(stranger.claims()).containsEntry("realm", TestKdc.OTHER_REALM);
      assertThat(check(own, kdc.ticket(alice, ALICE, SERVICE)).name()).isEqualTo("alice");
      assertThat(check(own, kdc.ticket(alice, ADMIN, SERVICE)).name()).isEqualTo("alice/admin");
    }
  }

  @Test
  void shouldReloadTheKeytabWithoutARestart() throws Exception {
    String service = "HTTP/rotated.sluice.test@" + TestKdc.REALM;
    kdc.add(service);
    Path rotated = kdc.keytab(service);
    Config config = config(service).with(AuthSettings.KERBEROS_KEYTAB, rotated.toString());
    try (Authentication authentication = open(config)) {
      byte[] before = kdc.ticket(alice, ALICE, service);
      byte[] late = kdc.ticket(alice, ALICE, service);
      kdc.rotate(rotated, service);
      assertThat(check(authentication, kdc.ticket(alice, ALICE, service)).name()).isEqualTo(ALICE);
      assertThat(check(authentication, before).name()).as("by the former key").isEqualTo(ALICE);
      kdc.forget(rotated, service);
      assertRefused(authentication, late, Reason.REFUSED, "a key that the keytab no longer");
      Path next = kdc.keytab(service);
      Files.move(next, rotated, StandardCopyOption.REPLACE_EXISTING);
      assertThat(check(authentication, kdc.ticket(alice, ALICE, service)).name()).isEqualTo(ALICE);
    }
  }

  @Test
  void shouldRefuseTicketsAsUnavailableWhileTheKeytabIsMissing() throws Exception {
    Path copy = Files.copy(keytab, folder.resolve("moved.keytab"));
    Config config = config(SERVICE).with(AuthSettings.KERBEROS_KEYTAB, copy.toString());
    try (Authentication authentication = open(config)) {
      byte[] ticket = kdc.ticket(alice, ALICE, SERVICE);
      Path away = Files.move(copy, folder.resolve("away.keytab"));
      assertRefused(authentication, ticket, Reason.UNAVAILABLE, "cannot read its keytab");
      Files.move(away, copy);
      assertThat(check(authentication, ticket).name()).isEqualTo(ALICE);
    }
  }

  @Test
  void shouldRefuseMalformedTickets() throws Exception {
    try (Authentication authentication = open(config(SERVICE))) {
      byte[] ticket = kdc.ticket(alice, ALICE, SERVICE);
      assertRefused(authentication, Arrays.copyOf(ticket, 300), Reason.MALFORMED, "neither SPNEGO");
      assertRefused(authentication, "garbage".getBytes(ISO_8859_1), Reason.MALFORMED, "neither");
      assertRefused(authentication, new byte[0], Reason.MALFORMED, "empty");
      assertRefused(authentication, new byte[65537], Reason.MALFORMED, "longer than 65536 bytes");
      byte[] ntlm = "NTLMSSP\0\1\0\0\0".getBytes(ISO_8859_1);
      assertRefused(authentication, ntlm, Reason.REFUSED, "NTLM");
      String mechanism = "060a2b06010401823702020a";
      assertRefused(authentication, spnego(mechanism, ntlm), Reason.REFUSED, "NTLM");
    }
  }

  @Test
  void shouldRefuseASecondMessageOfANegotiation() throws Exception {
    try (Authentication authentication = open(config(SERVICE))) {
      byte[] bare = kdc.bareTicket(alice, ALICE, SERVICE);
      String unknownFirst = "06032a0304" + "06092a864886f712010202";
      assertRefused(authentication, spnego(unknownFirst, bare), Reason.REFUSED, "no second");
    }
  }

  /** A ticket with a change in any encrypted part is refused. */
  @Test
  void shouldNotAcceptAModifiedTicketAsAnotherClient() throws Exception {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    try (Authentication authentication = open(config(SERVICE))) {
      byte[] ticket = kdc.ticket(alice, ALICE, SERVICE);
      for (int i = 0; i < 2000; i++) {
        byte[] changed = Arrays.copyOf(ticket, ticket.length - random.nextInt(4) / 3);
        for (int n = random.nextInt(3); n >= 0; n--) {
          changed[random.nextInt(changed.length)] = (byte) random.nextInt();
        }
        tryOut(authentication, changed, seed);
      }
    }
  }

  /** A change of an unencrypted part does not change the principal. */
  private static void tryOut(Authentication authentication, byte[] changed, long seed) {
    try {
      assertThat(check(authentication, changed).name()).as("seed " + seed).isEqualTo(ALICE);
    } catch (CompletionException e) {
      String what = "seed " + seed + ", " + HexFormat.of().formatHex(changed);
      assertThat(e.getCause()).as(what).isInstanceOf(AuthenticationFailure.class);
    }
  }

  @Test
  void shouldReportAnInvalidKeytabAtTheStart() throws Exception {
    Path none = folder.resolve("none.keytab");
    assertThatThrownBy(() -> open(config(SERVICE).with(AuthSettings.KERBEROS_KEYTAB, "" + none)))
        .isInstanceOf(UnusableAuth.class)
        .hasMessageStartingWith("auth.kerberos.keytab " + none + " cannot be read: ");
    Path text = Files.writeString(folder.resolve("text.keytab"), "hello");
    assertThatThrownBy(() -> open(config(SERVICE).with(AuthSettings.KERBEROS_KEYTAB, "" + text)))
        .isInstanceOf(UnusableAuth.class)
        .hasMessage("auth.kerberos.keytab " + text + " is not a keytab");
    String absent = "HTTP/absent@" + TestKdc.REALM;
    assertThatThrownBy(() -> open(config(SERVICE, absent)))
        .isInstanceOf(UnusableAuth.class)
        .hasMessageStartingWith("auth.kerberos.principal " + absent + " has no key in " + keytab);
  }

  /** SPNEGO's first message. */
  private static byte[] spnego(String mechanisms, byte[] token) {
    byte[] list = der(0xA0, der(0x30, HexFormat.of().parseHex(mechanisms)));
    byte[] inner = der(0xA0, der(0x30, list, der(0xA2, der(0x04, token))));
    return der(0x60, HexFormat.of().parseHex("06062b0601050502"), inner);
  }

  private static byte[] der(int tag, byte[]... parts) {
    ByteArrayOutputStream content = new ByteArrayOutputStream();
    for (byte[] part : parts) {
      content.writeBytes(part);
    }
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    all.write(tag);
    if (content.size() > 127) {
      all.write(0x82);
      all.write(content.size() >> 8);
    }
    all.write(content.size());
    all.writeBytes(content.toByteArray());
    return all.toByteArray();
  }
}
