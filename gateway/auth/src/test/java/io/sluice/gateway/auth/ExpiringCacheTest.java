package io.sluice.gateway.auth;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ExpiringCacheTest {
  private final ExpiringCache<String, Integer> cache = new ExpiringCache<>(2);

  @Test
  void shouldRemoveAValueAtItsExpiry() {
    cache.put("a", 1, 100);
    assertThat(cache.get("a", 99)).isEqualTo(1);
    assertThat(cache.get("a", 100)).isNull();
    assertThat(cache.size()).isZero();
  }

  @Test
  void shouldEvictTheLeastRecentlyUsedValue() {
    cache.put("a", 1, 100);
    cache.put("b", 2, 100);
    cache.get("a", 0);
    cache.put("c", 3, 100);
    assertThat(cache.size()).isEqualTo(2);
    assertThat(cache.get("a", 0)).isEqualTo(1);
    assertThat(cache.get("b", 0)).isNull();
  }
}
