package io.sluice.gateway.mqtt;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests of the bounds of stored sessions, and of takeovers. */
class ClientRegistryTest {
  private static final StoredSession SESSION = new StoredSession(List.of(), 7);
  private static final long EXPIRES_MS = 1_000;

  private final ClientRegistry registry = new ClientRegistry(8 * SESSION.bytes());
  private final List<StoredSession> former = new ArrayList<>();

  private static ClientRegistry.Key key(String user, int client) {
    return new ClientRegistry.Key(user, "client-" + client);
  }

  private boolean store(ClientRegistry.Key key) {
    ClientRegistry.Connected client = next -> next.accept(null);
    registry.connect(key, client, 0, former::add);
    return registry.store(key, client, SESSION, EXPIRES_MS);
  }

  @Test
  void shouldReturnASessionUntilItExpires() {
    for (long nowMs : new long[] {EXPIRES_MS - 1, EXPIRES_MS}) {
      assertThat(store(key("ann", 1))).isTrue();
      former.clear();
      registry.connect(key("ann", 1), next -> {}, nowMs, former::add);
      assertThat(former).containsExactly(nowMs < EXPIRES_MS ? SESSION : null);
      registry.connect(key("ann", 1), next -> {}, nowMs, former::add);
    }
  }

  @Test
  void shouldLeaveMemoryForOtherUsers() {
    int stored = 0;
    for (int i = 0; i < 32; i++) { // four times the limit
      stored += store(key("greedy", i)) ? 1 : 0;
    }
    assertThat(stored).isEqualTo(4);
    assertThat(store(key("other", 1))).isTrue();
    assertThat(registry.size()).isEqualTo(5);
  }

  @Test
  void shouldRemoveExpiredSessions() {
    for (int i = 0; i < 4; i++) {
      store(key("ann", i));
    }
    registry.connect(key("bob", 1), next -> {}, 60_000, former::add);
    assertThat(registry.size()).isEqualTo(1);
    assertThat(store(key("ann", 9))).isTrue();
  }

  @Test
  void shouldPassTheSessionOfAConnectionThatAnotherReplaces() {
    registry.connect(key("ann", 1), next -> next.accept(SESSION), 0, former::add);
    registry.connect(key("ann", 1), next -> {}, 0, former::add);
    assertThat(former).containsExactly(null, SESSION);
    registry.connect(key("bob", 1), next -> {}, 0, former::add);
    assertThat(former).last().isNull();
  }
}
