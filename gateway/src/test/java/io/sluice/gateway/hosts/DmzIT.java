package io.sluice.gateway.hosts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Node in a DMZ, from which no connection to the inner network is possible. */
@Tag("full")
@Timeout(240)
final class DmzIT {
  @TempDir private Path folder;

  @Test
  void shouldServeClientsOverALinkThatTheInnerNodeHasOpened() throws Exception {
    Optional<String> obstacle = Isolation.obstacle();
    assumeTrue(obstacle.isEmpty(), () -> obstacle.orElse(""));
    Path output = folder.resolve("output");
    Process process =
        new ProcessBuilder(DmzProgram.command(folder))
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    try {
      assertThat(process.waitFor(3, TimeUnit.MINUTES)).as("it ends").isTrue();
    } finally {
      process.destroyForcibly();
    }
    assertThat(process.exitValue()).as(Files.readString(output)).isZero();
  }
}
