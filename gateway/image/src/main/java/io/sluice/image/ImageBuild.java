package io.sluice.image;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Build step that writes the image, run in the module's folder by one thread. If the machine lacks
 * a prerequisite, the step prints it and the build continues without an image, unless one is
 * required.
 */
public final class ImageBuild {
  private static final Path TARGET = Path.of("target");

  private final ImageMetadata metadata;
  private final Path gateway;

  ImageBuild(ImageMetadata metadata) {
    this.metadata = metadata;
    this.gateway = Path.of("..", "target", "sluice-" + metadata.version() + ".tar.gz");
  }

  /**
   * Writes {@code target/sluice-image-VERSION-ARCHITECTURE.tar} and its checksum, or the missing
   * prerequisite to {@code target/no-image.txt}.
   *
   * @param arguments {@code --version=}, {@code --time=}, {@code --architecture=} (empty: the
   *     machine's) and {@code --required=}
   */
  public static void main(String[] arguments) throws IOException {
    Map<String, String> options = options(arguments);
    ImageMetadata metadata =
        new ImageMetadata(
            options.get("version"),
            Instant.parse(options.get("time")),
            ImageMetadata.architecture(options.get("architecture")));
    Path image = TARGET.resolve(fileName(metadata));
    Path reason = TARGET.resolve("no-image.txt");
    Path sums = TARGET.resolve("SHA256SUMS");
    deleteFormerImages();
    Files.deleteIfExists(sums);
    Files.deleteIfExists(reason);
    try {
      Digest digest = new ImageBuild(metadata).write(image, TARGET.resolve("layers"));
      // Format of sha256sum -c.
      Files.writeString(sums, Digest.of(image).hex() + " *" + image.getFileName() + "\n");
      System.out.println(image + ": " + metadata.reference() + ", " + digest);
    } catch (MissingPrerequisite e) {
      System.err.println("The image was not built: " + e.getMessage());
      Files.writeString(reason, e.getMessage());
      if (options.get("required").equals("true")) {
        System.exit(1);
      }
    }
  }

  private static void deleteFormerImages() throws IOException {
    Files.createDirectories(TARGET);
    try (DirectoryStream<Path> images = Files.newDirectoryStream(TARGET, "sluice-image-*.tar")) {
      for (Path image : images) {
        Files.delete(image);
      }
    }
  }

  private static String fileName(ImageMetadata metadata) {
    return "sluice-image-" + metadata.version() + "-" + metadata.architecture() + ".tar";
  }

  private static Map<String, String> options(String[] arguments) {
    Map<String, String> options = new HashMap<>();
    for (String argument : arguments) {
      String[] parts = argument.replaceFirst("^--", "").split("=", 2);
      options.put(parts[0], parts[1]);
    }
    return options;
  }

  /**
   * Writes the image and returns its manifest's digest.
   *
   * @param image the archive to write
   * @param folder for the layers' files
   */
  Digest write(Path image, Path folder) throws IOException, MissingPrerequisite {
    GatewayArchive archive = GatewayArchive.read(gateway);
    byte[] gatewaySbom = archive.sbom();
    List<DebianPackage> packages =
        DebianPackages.fetch(
            TARGET.resolve("debian-" + metadata.architecture()), metadata.architecture());
    Files.createDirectories(folder);
    SystemLayers system = new SystemLayers(packages, folder, metadata.time());
    GatewayLayers sluice = new GatewayLayers(archive, folder, metadata.time());
    byte[] sbom = ImageSbom.of(gatewaySbom, packages, metadata);
    List<Layer> layers =
        writeConcurrently(
            List.of(system::base, system::java, sluice::libraries, () -> sluice.application(sbom)));
    return ImageArchive.write(image, metadata, layers);
  }

  private static List<Layer> writeConcurrently(List<Callable<Layer>> tasks) throws IOException {
    ExecutorService threads = Executors.newFixedThreadPool(tasks.size());
    try {
      List<Layer> written = new ArrayList<>();
      for (Future<Layer> task : threads.invokeAll(tasks)) {
        written.add(task.get());
      }
      return written;
    } catch (ExecutionException e) {
      throw new IOException("cannot write a layer", e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while layers were written", e);
    } finally {
      threads.shutdownNow();
    }
  }
}
