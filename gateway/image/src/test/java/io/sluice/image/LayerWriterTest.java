package io.sluice.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.GZIPInputStream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LayerWriterTest {
  private static final Instant TIME = Instant.parse("2026-01-01T00:00:00Z");

  @TempDir private Path folder;

  /** Writes a part of a layer. */
  @FunctionalInterface
  private interface Part {
    void write(LayerWriter layer) throws IOException;
  }

  private Layer layer(String name, Part part) throws IOException {
    try (LayerWriter layer = new LayerWriter("a test", folder.resolve(name), TIME)) {
      part.write(layer);
      return layer.finish();
    }
  }

  private static List<String> entries(Layer layer) throws IOException {
    List<String> entries = new ArrayList<>();
    try (InputStream packed = Files.newInputStream(layer.file());
        TarArchiveInputStream archive =
            new TarArchiveInputStream(new GZIPInputStream(packed), StandardCharsets.UTF_8.name())) {
      TarArchiveEntry entry = archive.getNextEntry();
      for (; entry != null; entry = archive.getNextEntry()) {
        assertThat(entry.getLastModifiedTime().toInstant()).isEqualTo(TIME);
        entries.add(
            "%o %d %s%s%s"
                .formatted(
                    entry.getMode() & 07777,
                    entry.getLongUserId(),
                    entry.getName(),
                    entry.isSymbolicLink() ? " -> " + entry.getLinkName() : "",
                    entry.isLink() ? " = " + entry.getLinkName() : ""));
      }
    }
    return entries;
  }

  @Test
  void shouldWriteFoldersBeforeTheirContents() throws IOException {
    Layer layer =
        layer(
            "layer",
            writer -> {
              writer.text("etc/ssl/certs/all.pem", "x");
              writer.text("etc/group", "x");
              writer.link("etc/os-release", "../usr/lib/os-release");
            });
    assertThat(entries(layer))
        .containsExactly(
            "755 0 etc/",
            "755 0 etc/ssl/",
            "755 0 etc/ssl/certs/",
            "644 0 etc/ssl/certs/all.pem",
            "644 0 etc/group",
            "777 0 etc/os-release -> ../usr/lib/os-release");
  }

  @Test
  void shouldRemovePrivilegedModeBits() throws IOException {
    byte[] content = {1, 2};
    Layer layer =
        layer(
            "layer",
            writer -> {
              writer.file("sudo", 06777, content);
              writer.folder("tmp", 01777, 0);
              writer.folder("state", 0700, 65532);
            });
    assertThat(entries(layer)).containsExactly("755 0 sudo", "1777 0 tmp/", "700 65532 state/");
  }

  @Test
  void shouldApplyModeToHardLinks() throws IOException {
    Layer layer =
        layer(
            "layer",
            writer -> {
              writer.file("perl", 0755, new byte[] {1});
              writer.hardLink("perl5", "perl", 04755);
            });
    assertThat(entries(layer)).containsExactly("755 0 perl", "755 0 perl5 = perl");
  }

  @Test
  void shouldKeepFirstModeOfAFolder() throws IOException {
    Layer layer =
        layer(
            "layer",
            writer -> {
              writer.folder("tmp", 01777, 0);
              writer.folder("tmp");
            });
    assertThat(entries(layer)).containsExactly("1777 0 tmp/");
  }

  @Test
  void shouldRejectDuplicateFile() {
    assertThatThrownBy(
            () ->
                layer(
                    "layer",
                    writer -> {
                      writer.text("etc/passwd", "x");
                      writer.text("etc/passwd", "y");
                    }))
        .isInstanceOf(IOException.class)
        .hasMessage("duplicate path etc/passwd in the layer a test");
  }

  @Test
  void shouldHaveSameDigestForSameContent() throws IOException {
    Part part = writer -> writer.text("usr/share/ca-certificates/Főtanúsítvány.crt", "x");
    Layer one = layer("one", part);
    Layer other = layer("other", part);
    assertThat(other.digest()).isEqualTo(one.digest()).isEqualTo(Digest.of(one.file()));
    assertThat(other.content()).isEqualTo(one.content()).isNotEqualTo(one.digest());
    assertThat(entries(one)).last().asString().endsWith("Főtanúsítvány.crt");
  }
}
