package io.sluice.gateway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Applications with the packed npm package, built by each bundler: their pages receive and publish
 * in a real browser.
 */
@Tag("full")
final class BundlersIT {
  private static final String PASSED = "%s (PASSED|SKIPPED)";

  @Test
  @Timeout(300)
  void shouldReceiveInPagesOfFastBundlers() throws Exception {
    check("fast", List.of("ESBUILD", "ROLLUP", "VITE", "WEBPACK"));
  }

  @Test
  @Tag("bundlers")
  @Timeout(1200)
  void shouldReceiveInPagesOfHeavyBundlers() throws Exception {
    check("heavy", List.of("ANGULAR", "BUN", "DENO", "METRO", "NEXT", "PARCEL"));
  }

  private static void check(String kind, List<String> bundlers) throws Exception {
    List<String> lines = BrowserScript.run("packaging/pages.mjs", Map.of(), kind);
    assertThat(lines).hasSameSizeAs(bundlers);
    for (int i = 0; i < lines.size(); i++) {
      assertThat(lines.get(i)).matches(PASSED.formatted(bundlers.get(i)));
    }
  }
}
