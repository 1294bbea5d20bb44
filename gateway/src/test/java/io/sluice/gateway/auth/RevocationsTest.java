package io.sluice.gateway.auth;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.auth.Principal.Mechanism;
import io.sluice.gateway.auth.Revocation.Kind;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class RevocationsTest {
  private static final long MEMORY_MS = 1_000;
  private long nowMs = 50_000;
  private final Revocations revocations = new Revocations(MEMORY_MS, 3, () -> nowMs);

  private static Principal principal(String name, String tokenId, long issuedMs) {
    return new Principal(name, Mechanism.JWT, tokenId, issuedMs, Principal.NEVER, Map.of());
  }

  @Test
  void shouldRevokeATokenByItsId() {
    revocations.add(Kind.TOKEN, "t-1", Principal.NEVER);

    assertThat(revocations.isRevoked(principal("ann", "t-1", nowMs + 5))).isTrue();
    assertThat(revocations.isRevoked(principal("ann", "t-2", 0))).isFalse();
  }

  @Test
  void shouldRevokeEarlierCredentialsOfASubject() {
    revocations.add(Kind.SUBJECT, "ann", Principal.NEVER);

    assertThat(revocations.isRevoked(principal("ann", "t-1", nowMs))).isTrue();
    assertThat(revocations.isRevoked(principal("ann", "t-1", nowMs + 1))).isFalse();
    assertThat(revocations.isRevoked(principal("bob", "t-1", nowMs))).isFalse();
  }

  @Test
  void shouldRevokeCredentialsWithoutATimeOfIssue() {
    revocations.add(Kind.SUBJECT, "ann", Principal.NEVER);

    assertThat(revocations.isRevoked(principal("ann", "", 0))).isTrue();
  }

  @Test
  void shouldNotRevokeAnonymousClients() {
    revocations.add(Kind.SUBJECT, "ann", Principal.NEVER);
    revocations.add(Kind.TOKEN, "t-1", Principal.NEVER);

    assertThat(revocations.isRevoked(Principal.ANONYMOUS)).isFalse();
  }

  @Test
  void shouldRemoveRevocationsAfterTheConfiguredTime() {
    revocations.add(Kind.TOKEN, "t-1", Principal.NEVER);
    nowMs += MEMORY_MS - 1;
    assertThat(revocations.isRevoked(principal("ann", "t-1", 0))).isTrue();

    nowMs++;
    assertThat(revocations.isRevoked(principal("ann", "t-1", 0))).isFalse();
    assertThat(revocations.latest(10)).isEmpty();
  }

  @Test
  void shouldRemoveRevocationsOfExpiredTokens() {
    revocations.add(Kind.TOKEN, "t-1", nowMs + 10);
    nowMs += 10;

    assertThat(revocations.isRevoked(principal("ann", "t-1", 0))).isFalse();
  }

  @Test
  void shouldRejectRevocationsAboveTheLimit() {
    for (int i = 1; i <= 3; i++) {
      assertThat(revocations.add(Kind.TOKEN, "t-" + i, Principal.NEVER)).isTrue();
    }

    assertThat(revocations.add(Kind.SUBJECT, "ann", Principal.NEVER)).isFalse();
    assertThat(revocations.isRevoked(principal("ann", "t-9", 0))).isFalse();
    assertThat(revocations.isRevoked(principal("bob", "t-1", 0))).isTrue();
    assertThat(revocations.add(Kind.TOKEN, "t-1", Principal.NEVER)).as("the same again").isTrue();
  }

  @Test
  void shouldEvictExpiredRevocationsAtTheLimit() {
    for (int i = 1; i <= 3; i++) {
      revocations.add(Kind.TOKEN, "t-" + i, nowMs + 1);
    }
    nowMs++;

    assertThat(revocations.add(Kind.SUBJECT, "ann", Principal.NEVER)).isTrue();
    assertThat(revocations.size()).isEqualTo(1);
  }

  @Test
  void shouldRevokeNewerCredentialsOfASubjectThatIsRevokedAgain() {
    revocations.add(Kind.SUBJECT, "ann", Principal.NEVER);
    nowMs += 100;
    revocations.add(Kind.SUBJECT, "ann", Principal.NEVER);

    assertThat(revocations.isRevoked(principal("ann", "", nowMs))).isTrue();
  }

  @Test
  void shouldNotShortenARevocationByAnother() {
    revocations.add(Kind.TOKEN, "t-1", Principal.NEVER);
    revocations.add(Kind.TOKEN, "t-1", nowMs + 1);
    nowMs += 10;

    assertThat(revocations.isRevoked(principal("ann", "t-1", 0))).isTrue();
  }

  @Test
  void shouldRemoveARevocation() {
    revocations.add(Kind.TOKEN, "t-1", Principal.NEVER);

    assertThat(revocations.remove(Kind.SUBJECT, "t-1")).isFalse();
    assertThat(revocations.remove(Kind.TOKEN, "t-1")).isTrue();
    assertThat(revocations.isRevoked(principal("ann", "t-1", 0))).isFalse();
  }

  @Test
  void shouldListTheLatestFirst() {
    for (int i = 1; i <= 3; i++) {
      nowMs++;
      revocations.add(Kind.TOKEN, "t-" + i, Principal.NEVER);
    }

    assertThat(revocations.latest(2)).extracting(Revocation::value).containsExactly("t-3", "t-2");
  }

  @Test
  void shouldDistinguishTokensAndCertificatesOfTheSameId() {
    Principal token = principal("ann", "a1f", 0);
    Principal certificate =
        new Principal("ann", Principal.Mechanism.CERTIFICATE, "a1f", 0, Principal.NEVER, Map.of());
    revocations.add(Kind.TOKEN, "a1f", Principal.NEVER);
    assertThat(revocations.isRevoked(token)).isTrue();
    assertThat(revocations.isRevoked(certificate)).isFalse();

    revocations.remove(Kind.TOKEN, "a1f");
    revocations.add(Kind.CERTIFICATE, "a1f", Principal.NEVER);
    assertThat(revocations.isRevoked(token)).isFalse();
    assertThat(revocations.isRevoked(certificate)).isTrue();
  }
}
