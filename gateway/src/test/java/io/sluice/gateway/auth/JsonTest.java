package io.sluice.gateway.auth;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonFactory;
import org.junit.jupiter.api.Test;

final class JsonTest {
  @Test
  void shouldNotCacheTheNamesOfMembers() {
    assertThat(Json.JSON.isEnabled(JsonFactory.Feature.INTERN_FIELD_NAMES)).isFalse();
    assertThat(Json.JSON.isEnabled(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES)).isFalse();
  }
}
