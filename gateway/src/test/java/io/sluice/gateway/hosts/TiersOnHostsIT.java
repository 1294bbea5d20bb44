package io.sluice.gateway.hosts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Runbooks of docs/operations/tiers.md on separate hosts. */
@Tag("full")
@Timeout(600)
final class TiersOnHostsIT {
  @TempDir private Path folder;

  private void run(List<String> program) throws Exception {
    Optional<String> obstacle = Isolation.obstacle();
    assumeTrue(obstacle.isEmpty(), () -> obstacle.orElse(""));
    Path output = folder.resolve("output");
    Process process =
        new ProcessBuilder(program)
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    try {
      assertThat(process.waitFor(9, TimeUnit.MINUTES)).as("it ends").isTrue();
    } finally {
      process.destroyForcibly();
    }
    assertThat(process.exitValue()).as(Files.readString(output)).isZero();
  }

  /** Node in a DMZ, from which no connection to the inner network is possible. */
  @Test
  void shouldServeClientsOverLinksThatInnerNodesHaveOpened() throws Exception {
    run(DmzProgram.command(folder));
  }

  @Test
  void shouldContinueAtTheOtherSiteAfterTheLossOfASite() throws Exception {
    run(SitesProgram.command(folder));
  }
}
