package io.sluice.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class GatewayLayersTest {
  private static final byte[] SBOM = {'{', '}'};

  @TempDir private Path folder;
  private final TreeMap<String, byte[]> files = new TreeMap<>();

  GatewayLayersTest() {
    put("bin/sluice", "#!/usr/bin/env bash\necho\n");
    put("lib/netty.jar", "netty");
    put("lib/sluice-gateway-1.jar", "the gateway");
    put("sbom.json", "{}");
  }

  private void put(String path, String content) {
    files.put(path, content.getBytes(StandardCharsets.UTF_8));
  }

  private GatewayLayers layers() {
    return new GatewayLayers(new GatewayArchive(files), folder, Instant.EPOCH);
  }

  @Test
  void shouldChangeOnlyApplicationLayerWithRelease() throws IOException {
    Digest libraries = layers().libraries().digest();
    Digest application = layers().application(SBOM).digest();
    put("lib/sluice-gateway-1.jar", "the next gateway");
    assertThat(layers().libraries().digest()).isEqualTo(libraries);
    assertThat(layers().application(SBOM).digest()).isNotEqualTo(application);
  }

  @Test
  void shouldRejectLauncherWithOtherShebang() {
    put("bin/sluice", "#!/bin/sh\n");
    assertThatThrownBy(() -> layers().application(SBOM))
        .isInstanceOf(IOException.class)
        .hasMessage("bin/sluice does not begin with #!/usr/bin/env bash");
  }

  @Test
  void shouldReportMissingArchiveAndSbom() {
    Path missing = folder.resolve("sluice-1.tar.gz");
    assertThatThrownBy(() -> GatewayArchive.read(missing))
        .isInstanceOf(MissingPrerequisite.class)
        .hasMessage("the gateway's archive is missing: build it first at " + missing);
    files.remove("sbom.json");
    assertThatThrownBy(() -> new GatewayArchive(files).sbom())
        .isInstanceOf(MissingPrerequisite.class)
        .hasMessageContaining("contains no sbom.json");
  }
}
