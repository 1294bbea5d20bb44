package io.sluice.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import org.junit.jupiter.api.Test;

class ImageMetadataTest {
  @Test
  void shouldUseReleaseTagForSnapshots() {
    assertThat(new ImageMetadata("1.2.0-SNAPSHOT", Instant.EPOCH, "amd64").reference())
        .isEqualTo("sluice:1.2.0");
    assertThat(new ImageMetadata("1.2.0", Instant.EPOCH, "amd64").reference())
        .isEqualTo("sluice:1.2.0");
  }

  @Test
  void shouldAcceptBothNamesOfAnArchitecture() {
    assertThat(ImageMetadata.architecture("aarch64")).isEqualTo("arm64");
    assertThat(ImageMetadata.architecture("x86_64")).isEqualTo("amd64");
  }

  @Test
  void shouldNameAllowedArchitectures() {
    assertThatThrownBy(() -> ImageMetadata.architecture("riscv64"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("sluice.image.architecture is riscv64; allowed are amd64 and arm64");
  }
}
