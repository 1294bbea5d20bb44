package io.sluice.gateway.hosts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.gateway.TestProgram;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Small scenario with nodes on separate hosts. {@link NodeKillIT} is the part of the default build.
 */
@Tag("alone")
@Tag("full")
@Timeout(420)
final class HostsIT {
  @TempDir private Path folder;

  @Test
  void shouldReportAllLossesWhenHostsStopOrArePartitioned() throws Exception {
    Optional<String> obstacle = Isolation.obstacle();
    assumeTrue(obstacle.isEmpty(), () -> obstacle.orElse(""));
    Optional<String> haproxy = TestProgram.provide("haproxy");
    assumeTrue(haproxy.isPresent(), "HAProxy is needed");
    Path output = folder.resolve("output");
    Process process =
        new ProcessBuilder(
                Isolation.java(
                    List.of("-Xmx512m", "-XX:TieredStopAtLevel=1"),
                    HostsProgram.class,
                    List.of(haproxy.get())))
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    try {
      assertThat(process.waitFor(6, TimeUnit.MINUTES)).as("it ends").isTrue();
    } finally {
      process.destroyForcibly();
    }
    assertThat(process.exitValue()).as(Files.readString(output)).isZero();
  }
}
