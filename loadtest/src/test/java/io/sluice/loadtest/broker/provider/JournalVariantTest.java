package io.sluice.loadtest.broker.provider;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class JournalVariantTest {
  @Test
  void shouldHaveDistinctNamesAndSettings() {
    List<JournalVariant> all = new ArrayList<>(JournalVariant.artemis(true));
    all.addAll(JournalVariant.classic());

    assertThat(all).extracting(JournalVariant::name).doesNotHaveDuplicates();
    assertThat(all).extracting(JournalVariant::settings).doesNotHaveDuplicates();
  }

  @Test
  void shouldOmitUnavailableJournal() {
    assertThat(JournalVariant.artemis(false))
        .noneMatch(variant -> variant.settings().containsValue("ASYNCIO"));
    assertThat(JournalVariant.artemis(true))
        .anyMatch(variant -> variant.settings().containsValue("ASYNCIO"));
  }
}
