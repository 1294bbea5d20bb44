package io.sluice.gateway.admin;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonFactory;
import org.junit.jupiter.api.Test;

final class RevocationOrderTest {
  @Test
  void shouldNotCacheTheNamesOfMembers() {
    assertThat(RevocationOrder.JSON.isEnabled(JsonFactory.Feature.INTERN_FIELD_NAMES)).isFalse();
    assertThat(RevocationOrder.JSON.isEnabled(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES))
        .isFalse();
  }
}
