package io.sluice.gateway.cli.admin;

import io.sluice.gateway.cli.command.CommandFailure;
import io.sluice.gateway.config.SettingFile;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Options with the admin ports of nodes and their credentials. Used by the main thread only. */
public final class AdminPorts {
  private static final Duration CONNECT_LIMIT = Duration.ofSeconds(5);

  @Spec(Spec.Target.MIXEE)
  private CommandSpec spec;

  @Option(
      names = "--admin",
      paramLabel = "URL",
      required = true,
      split = ",",
      description =
          "URL of a node's admin port, such as http://127.0.0.1:9090; separate several by commas.")
  private List<String> nodes;

  @Option(
      names = "--token-file",
      paramLabel = "FILE",
      description = "File with the nodes' admin token in its first line (admin.token-file).")
  private Path tokenFile;

  @Option(
      names = "--ca",
      paramLabel = "FILE",
      description =
          "PEM file with the authorities to trust instead of the JDK's for the nodes' certificates"
              + " (admin.tls.certificate).")
  private Path ca;

  private AdminClient client;

  /** Returns the URLs of the admin ports. */
  List<URI> nodes() {
    return nodes.stream().map(this::url).toList();
  }

  private URI url(String node) {
    URI url = AdminClient.url(node);
    if (url == null) {
      throw new ParameterException(
          spec.commandLine(),
          "--admin " + node + " is not a URL; expected a URL such as http://127.0.0.1:9090");
    }
    return url;
  }

  /** Returns the client for the admin ports. */
  AdminClient client() {
    if (client == null) {
      client = client(tokenFile, ca);
    }
    return client;
  }

  /** Returns a client for admin ports; a missing file is null. */
  public static AdminClient client(Path tokenFile, Path ca) {
    HttpClient.Builder http =
        HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).connectTimeout(CONNECT_LIMIT);
    if (ca != null) {
      http.sslContext(Authorities.trust("--ca", ca));
    }
    return new AdminClient(http.build(), tokenFile == null ? null : token(tokenFile), ca);
  }

  private static String token(Path file) {
    try {
      return Files.readAllLines(file).stream()
          .map(String::strip)
          .filter(line -> !line.isEmpty())
          .findFirst()
          .orElseThrow(() -> new CommandFailure("--token-file " + file + " contains no token"));
    } catch (IOException | InvalidPathException e) {
      throw new CommandFailure(
          "--token-file " + file + " cannot be read: " + SettingFile.reason(e), e);
    }
  }
}
