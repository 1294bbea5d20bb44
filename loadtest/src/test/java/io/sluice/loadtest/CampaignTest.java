package io.sluice.loadtest;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class CampaignTest {
  @Test
  void shouldQuoteCommandForShell() {
    Map<String, String> given = new LinkedHashMap<>();
    given.put("url", "ws://localhost:8080/ws");
    given.put("feed", "bin/sluice feed --rate RATE; it's");

    assertThat(Campaign.command("sluice simulate Ramp", given))
        .isEqualTo(
            "sluice simulate Ramp"
                + " -Durl=ws://localhost:8080/ws"
                + " -Dfeed='bin/sluice feed --rate RATE; it'\\''s'");
  }
}
