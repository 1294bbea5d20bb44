package io.sluice.gateway.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SettingFileReasonTest {
  @TempDir Path folder;

  @Test
  void saysThatAFileIsMissing() {
    assertThat(whyUnreadable(folder.resolve("none"))).isEqualTo("there is no such file");
  }

  @Test
  void saysThatItIsAFolder() {
    assertThat(whyUnreadable(folder)).isEqualTo("it is a folder");
  }

  @Test
  void saysThatAPermissionIsMissing() {
    assertThat(SettingFile.reason(new AccessDeniedException("/key")))
        .isEqualTo("the gateway's user has no permission");
  }

  @Test
  void reportsAnInvalidFileName() {
    assertThat(SettingFile.reason(new InvalidPathException("a\0b", "Nul character")))
        .isEqualTo("this is not a valid file name");
  }

  @Test
  void repeatsTheSystemsReasonWithoutTheName() {
    assertThat(SettingFile.reason(new FileSystemException("/key", null, "Too many open files")))
        .isEqualTo("Too many open files");
  }

  @Test
  void repeatsAnyOtherMessageWithoutItsClass() {
    assertThat(SettingFile.reason(new IOException("Input/output error")))
        .isEqualTo("Input/output error");
  }

  @Test
  void namesTheKindOfAFailureThatSaysNothing() {
    assertThat(SettingFile.reason(new EOFException())).isEqualTo("EOFException");
  }

  private static String whyUnreadable(Path file) {
    try (InputStream in = Files.newInputStream(file)) {
      in.read();
    } catch (IOException e) {
      return SettingFile.reason(e);
    }
    throw new AssertionError(file + " was read");
  }
}
