package io.sluice.image;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Runs the download script with a fake apt that only records its arguments. */
@EnabledOnOs(OS.LINUX)
class FetchPackagesTest {
  private static final Path SCRIPT = Path.of("src", "main", "scripts", "fetch-packages.sh");

  @TempDir private Path folder;
  private Path tools;
  private Path requests;
  private String sources = "";

  @BeforeEach
  void setUp() throws IOException {
    tools = Files.createDirectory(folder.resolve("tools"));
    requests = Files.createFile(folder.resolve("requests"));
    Path list = Files.writeString(folder.resolve("own.sources"), "deb file:/mirror trixie main\n");
    sources = list.toString();
    tool("dpkg-deb", "");
    tool("apt-get", "echo \"${*: -2}\" >>" + requests + "\n");
  }

  private void tool(String name, String script) throws IOException {
    Path file = Files.writeString(tools.resolve(name), "#!/bin/bash\n" + script);
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  /** Exit code and standard error of the script. */
  private record ExitResult(int code, String error) {}

  private ExitResult fetch(String... names) throws Exception {
    ProcessBuilder builder =
        new ProcessBuilder(
            SCRIPT.toString(), folder.resolve("fetched").toString(), "amd64", names[0], names[1]);
    builder.environment().merge("PATH", tools.toString(), (path, ours) -> ours + ":" + path);
    builder.environment().put("SLUICE_IMAGE_SOURCES", sources);
    Process process = builder.start();
    String error = new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
    return new ExitResult(process.waitFor(), error.strip());
  }

  @Test
  void shouldDownloadSamePackagesOnce() throws Exception {
    assertThat(fetch("libc6", "bash")).isEqualTo(new ExitResult(0, ""));
    assertThat(fetch("libc6", "bash").code()).isZero();
    List<String> lines = Files.readAllLines(requests);
    assertThat(lines).hasSize(2);
    assertThat(lines.get(0)).endsWith(" update");
    assertThat(lines.get(1)).isEqualTo("libc6 bash");
    assertThat(fetch("libc6", "zlib1g").code()).isZero();
    assertThat(Files.readAllLines(requests)).hasSize(4);
  }

  @Test
  void shouldNameMissingSourcesFile() throws Exception {
    sources = folder.resolve("none.sources").toString();
    assertThat(fetch("libc6", "bash"))
        .isEqualTo(new ExitResult(1, "cannot read SLUICE_IMAGE_SOURCES: " + sources));
  }

  @Test
  void shouldReportAptErrorAndRetryOnNextRun() throws Exception {
    tool("apt-get", "echo 'E: Unable to locate package bash'; exit 100\n");
    assertThat(fetch("libc6", "bash").error())
        .isEqualTo("cannot download the package lists (E: Unable to locate package bash)");
    tool("apt-get", "");
    assertThat(fetch("libc6", "bash").code()).isZero();
  }
}
