package io.sluice.gateway.revocation;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.auth.Principal;
import io.sluice.gateway.auth.Principal.Mechanism;
import io.sluice.gateway.revocation.Revocation.Kind;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
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

  private static Revocation token(long sinceMs, long untilMs, long removedMs) {
    return new Revocation(Kind.TOKEN, "t-1", sinceMs, untilMs, removedMs);
  }

  @Test
  void shouldMergeTheSameSetInAnyOrder() {
    List<Revocation> copies =
        List.of(
            token(50_000, 50_900, 0),
            token(50_000, 50_900, 50_100),
            token(50_200, 50_500, 0),
            token(50_150, 50_800, 50_160));
    Set<Revocation> results = new HashSet<>();
    Set<Long> totals = new HashSet<>();
    for (int shift = 0; shift < copies.size(); shift++) {
      List<Revocation> order = new ArrayList<>(copies);
      Collections.rotate(order, shift);
      Revocations merged = new Revocations(MEMORY_MS, 3, () -> nowMs);
      order.forEach(each -> merged.merge(List.of(each)));
      results.addAll(merged.entries());
      totals.add(merged.total());
    }

    assertThat(results).containsExactly(token(50_200, 50_900, 50_160));
    assertThat(totals).hasSize(1);
  }

  @Test
  void shouldNotRestoreARemovedRevocationByAnOldCopy() {
    revocations.add(Kind.TOKEN, "t-1", Principal.NEVER);
    List<Revocation> old = revocations.entries();
    revocations.remove(Kind.TOKEN, "t-1");

    assertThat(revocations.merge(old).changed()).isEmpty();
    assertThat(revocations.isRevoked(principal("ann", "t-1", 0))).isFalse();
    assertThat(revocations.latest(10)).isEmpty();
    assertThat(revocations.active()).isZero();
    assertThat(revocations.remove(Kind.TOKEN, "t-1")).isFalse();
  }

  @Test
  void shouldRevokeAgainAfterARemoval() {
    revocations.add(Kind.TOKEN, "t-1", Principal.NEVER);
    revocations.remove(Kind.TOKEN, "t-1");
    revocations.add(Kind.TOKEN, "t-1", Principal.NEVER);

    assertThat(revocations.isRevoked(principal("ann", "t-1", 0))).isTrue();
  }

  @Test
  void shouldRemoveARevocationOfANodeWithAFastClock() {
    revocations.merge(List.of(token(nowMs + 500, nowMs + 900, 0)));

    assertThat(revocations.remove(Kind.TOKEN, "t-1")).isTrue();
    assertThat(revocations.isRevoked(principal("ann", "t-1", 0))).isFalse();
  }

  @Test
  void shouldRejectRevocationsOfOtherNodesAboveTheLimit() {
    for (int i = 1; i <= 3; i++) {
      revocations.add(Kind.TOKEN, "t-" + i, Principal.NEVER);
    }

    Revocations.Merge merge =
        revocations.merge(List.of(new Revocation(Kind.SUBJECT, "ann", nowMs, nowMs + 100, 0)));

    assertThat(merge.rejected()).isEqualTo(1);
    assertThat(merge.changed()).isEmpty();
  }

  @Test
  void shouldIgnoreExpiredRevocationsOfOtherNodes() {
    assertThat(revocations.merge(List.of(token(1, nowMs, 0))).changed()).isEmpty();
    assertThat(revocations.size()).isZero();
  }

  @Test
  void shouldHaveTheHashOfTheEmptySetAfterTheEviction() {
    revocations.add(Kind.TOKEN, "t-1", Principal.NEVER);
    revocations.add(Kind.SUBJECT, "ann", Principal.NEVER);
    assertThat(revocations.total()).isNotZero();

    nowMs += MEMORY_MS;
    revocations.evictExpired();

    assertThat(revocations.total()).isZero();
    assertThat(revocations.hashes()).containsOnly(0);
  }
}
