package io.sluice.image;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Runs the build script where it cannot build an image. */
@EnabledOnOs(OS.LINUX)
class BuildScriptTest {
  private static final String TIME = "2026-01-01T00:00:00Z";

  @TempDir private Path folder;

  private BuildScript.Result build(String architecture, String required) throws Exception {
    return BuildScript.run("0-none", TIME, architecture, required, folder.toString());
  }

  @Test
  void shouldContinueWithoutAnImageUnlessOneIsRequired() throws Exception {
    String reason = "the gateway's archive is missing: build it first at ";
    BuildScript.Result optional = build("machine", "false");
    assertThat(optional.code()).as(optional.output()).isZero();
    assertThat(optional.output()).startsWith("The image was not built: " + reason);
    assertThat(folder.resolve("no-image.txt"))
        .content()
        .startsWith(reason)
        .endsWith("sluice-0-none.tar.gz");
    assertThat(build("machine", "true").code()).isEqualTo(1);
  }

  @Test
  void shouldAcceptBothNamesOfAnArchitecture() throws Exception {
    for (String name : new String[] {"amd64", "x86_64", "arm64", "aarch64"}) {
      assertThat(build(name, "false").code()).as(name).isZero();
    }
    assertThat(build("riscv64", "false"))
        .isEqualTo(
            new BuildScript.Result(
                2, "sluice.image.architecture is riscv64; allowed are amd64 and arm64"));
  }
}
