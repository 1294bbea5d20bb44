package io.sluice.gateway.revocation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.sluice.gateway.auth.Principal;
import io.sluice.gateway.auth.Principal.Mechanism;
import io.sluice.gateway.metrics.RevocationMeters;
import io.sluice.gateway.revocation.Revocation.Kind;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(180)
final class RevocationExchangeTest {
  private static final int MANY = 10_000;
  private static final long HOUR_MS = 3_600_000;

  private final Map<String, Member> members = new LinkedHashMap<>();
  private final Set<String> cut = ConcurrentHashMap.newKeySet();

  /** Node with its revocations, connected to the others in memory. */
  private final class Member {
    private final String name;
    private final Revocations revocations;
    private final RevocationExchange exchange;
    private final List<Predicate<RevocableCredential>> sweeps = new CopyOnWriteArrayList<>();

    Member(String name, int max) {
      this.name = name;
      this.revocations = new Revocations(HOUR_MS, max, System::currentTimeMillis);
      this.exchange =
          new RevocationExchange(
              revocations,
              closed -> {
                sweeps.add(closed);
                return CompletableFuture.completedFuture(0);
              },
              RevocationMeters.of(new SimpleMeterRegistry()));
      exchange.join((to, message) -> deliver(name, (String) to, message));
    }

    boolean isRevoked(String token) {
      return revocations.isRevoked(credential("ann", token));
    }

    boolean wasClosed(String subject, String token) {
      return sweeps.stream().anyMatch(each -> each.test(credential(subject, token)));
    }
  }

  private static Principal credential(String subject, String token) {
    return new Principal(subject, Mechanism.JWT, token, Long.MAX_VALUE, Long.MAX_VALUE, Map.of());
  }

  private void deliver(String from, String to, byte[] message) {
    if (!cut.contains(from) && !cut.contains(to)) {
      members.get(to).exchange.onMessage(from, message);
    }
  }

  private Member add(String name, int max) {
    Member member = new Member(name, max);
    members.put(name, member);
    announceView();
    return member;
  }

  private Member add(String name) {
    return add(name, 2 * MANY);
  }

  private void announceView() {
    for (Member member : members.values()) {
      List<String> others = new ArrayList<>(members.keySet());
      others.remove(member.name);
      member.exchange.onView(cut.contains(member.name) ? List.of() : others);
    }
  }

  private static void fill(Member member, String prefix, int count) {
    for (int i = 0; i < count; i++) {
      member.revocations.add(Kind.TOKEN, prefix + i, Long.MAX_VALUE);
    }
  }

  @AfterEach
  void close() {
    members.values().forEach(member -> member.exchange.close());
  }

  @Test
  void shouldSendAnOrderToAllNodesAndCloseTheirSessions() {
    Member first = add("first");
    Member second = add("second");
    Member third = add("third");

    first.revocations.add(Kind.SUBJECT, "ann", Long.MAX_VALUE);

    for (Member other : List.of(second, third)) {
      await().until(() -> other.wasClosed("ann", "t-1"));
      assertThat(other.wasClosed("bob", "t-1")).isFalse();
      assertThat(other.revocations.latest(1)).isEqualTo(first.revocations.latest(1));
    }
    await().until(() -> first.revocations.nodes().equals(Map.of("second", true, "third", true)));
  }

  @Test
  void shouldRemoveARevocationAtAllNodes() {
    Member first = add("first");
    Member second = add("second");
    first.revocations.add(Kind.TOKEN, "t-1", Long.MAX_VALUE);
    await().until(() -> second.isRevoked("t-1"));

    second.revocations.remove(Kind.TOKEN, "t-1");

    await().until(() -> !first.isRevoked("t-1"));
  }

  @Test
  void shouldCopyTenThousandRevocationsToANewNode() {
    Member first = add("first");
    fill(first, "t-", MANY);

    Member second = add("second");

    await().until(() -> second.revocations.total() == first.revocations.total());
    assertThat(second.revocations.active()).isEqualTo(MANY);
    assertThat(second.wasClosed("ann", "t-" + (MANY - 1))).isTrue();
    await().until(() -> first.revocations.nodes().get("second"));
  }

  @Test
  void shouldUniteBothSidesOfASplit() {
    Member first = add("first");
    Member second = add("second");
    first.revocations.add(Kind.TOKEN, "both", Long.MAX_VALUE);
    first.revocations.add(Kind.TOKEN, "removed", Long.MAX_VALUE);
    await().until(() -> second.isRevoked("removed"));
    cut.add("second");
    announceView();
    fill(first, "first-", MANY / 2);
    fill(second, "second-", MANY / 2);
    first.revocations.remove(Kind.TOKEN, "removed");
    first.revocations.remove(Kind.TOKEN, "both");
    second.revocations.add(Kind.TOKEN, "both", Long.MAX_VALUE);
    long lastMs = second.revocations.latest(1).get(0).sinceMs();
    await().until(() -> System.currentTimeMillis() > lastMs);
    second.revocations.add(Kind.TOKEN, "both", Long.MAX_VALUE);

    cut.clear();
    announceView();

    await().until(() -> second.revocations.total() == first.revocations.total());
    for (Member member : List.of(first, second)) {
      assertThat(member.isRevoked("removed")).isFalse();
      assertThat(member.isRevoked("both")).as("revoked after the removal").isTrue();
      assertThat(member.isRevoked("first-0")).isTrue();
      assertThat(member.isRevoked("second-0")).isTrue();
      assertThat(member.revocations.active()).isEqualTo(MANY + 1);
    }
  }

  @Test
  void shouldCopyWhatWasLostOnTheWay() {
    Member first = add("first");
    Member second = add("second");
    cut.add("second"); // the view is the same, as for a node whose queue is full
    first.revocations.add(Kind.TOKEN, "lost", Long.MAX_VALUE);
    cut.clear();

    first.revocations.add(Kind.TOKEN, "received", Long.MAX_VALUE);

    await().until(() -> second.isRevoked("received"));
    await().until(() -> second.isRevoked("lost"));
  }

  @Test
  void shouldKeepOnlyAsManyAsTheNodeStores() {
    Member first = add("first");
    Member small = add("small", 3);

    fill(first, "t-", 5);

    await().until(() -> small.revocations.size() == 3);
    await().until(() -> Boolean.FALSE.equals(first.revocations.nodes().get("small")));
    assertThat(first.revocations.active()).isEqualTo(5);
  }

  @Test
  void shouldIgnoreMalformedMessages() {
    Member first = add("first");
    Member second = add("second");

    first.exchange.onMessage("second", new byte[] {RevocationMessage.CHANNEL, 1, 0});
    first.exchange.onMessage("second", new byte[] {RevocationMessage.CHANNEL, 99});
    second.revocations.add(Kind.TOKEN, "t-1", Long.MAX_VALUE);

    await().until(() -> first.isRevoked("t-1"));
  }
}
