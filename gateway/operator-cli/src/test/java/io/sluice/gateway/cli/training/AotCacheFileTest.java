package io.sluice.gateway.cli.training;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AotCacheFileTest {
  @TempDir private Path parent;

  @Test
  void shouldReplaceTheFileOfAConcurrentCreation() throws Exception {
    Path target = parent.resolve("caches").resolve("a.aot");
    try (AotCacheFile first = AotCacheFile.create(target);
        AotCacheFile second = AotCacheFile.create(target)) {
      Files.writeString(first.unpublished(), "first");
      Files.writeString(second.unpublished(), "second");
      assertThat(target).doesNotExist();
      first.publish();
      assertThat(target).hasContent("first");
      second.publish();
    }
    assertThat(target).hasContent("second");
    assertThat(target.getParent()).isDirectoryContaining(target::equals);
    assertThat(target.getParent().toFile().list()).hasSize(1);
  }

  @Test
  void shouldDeleteTheFilesOfAFailedCreation() throws Exception {
    Path target = parent.resolve("a.aot");
    try (AotCacheFile file = AotCacheFile.create(target)) {
      Files.writeString(file.unpublished(), "incomplete");
      Files.writeString(file.folder().resolve("log"), "text");
    }
    assertThat(parent).isEmptyDirectory();
  }
}
