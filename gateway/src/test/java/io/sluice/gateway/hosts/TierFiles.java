package io.sluice.gateway.hosts;

import io.sluice.gateway.DocumentedBlock;
import io.sluice.testkit.TestAuthority;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;

/** Configurations of docs/operations/tiers.md with their certificates. For any thread. */
final class TierFiles {
  private static final String PAGE = "operations/tiers.md";

  private final Path folder;
  private final TestAuthority authority;
  private final String addresses;

  /**
   * @param folder folder for all files
   * @param addresses addresses with ports for links
   */
  TierFiles(Path folder, List<String> addresses) {
    this.folder = folder;
    this.authority = TestAuthority.create(folder, "nodes-ca");
    this.addresses =
        addresses.stream().map(each -> "ip:" + each).collect(Collectors.joining(",", "SAN=", ""));
    copy(authority.certificate(), "nodes-ca.pem");
  }

  private void copy(Path from, String name) {
    try {
      Files.copy(from, folder.resolve(name));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Issues the certificate of a node, under the name that the page gives its files. */
  synchronized void certify(String node) {
    TestAuthority.Issued issued = authority.issue(node, "CN=" + node, addresses);
    copy(issued.certificate(), node + ".pem");
    copy(issued.key(), node + "-key.pem");
  }

  /** Returns a block of the page with the folder of these files. */
  String block(String mark) {
    try {
      return DocumentedBlock.of(PAGE, mark).text().replace("/etc/sluice", folder.toString());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns lines within {@code links} for a node, which a block of the page leaves out. */
  String identity(String node, List<String> peers) {
    return """
          certificate: %s
          key: %s
          trust: %s
          peers: %s
        """
        .formatted(
            folder.resolve(node + ".pem"),
            folder.resolve(node + "-key.pem"),
            folder.resolve("nodes-ca.pem"),
            peers)
        .stripTrailing();
  }

  Path folder() {
    return folder;
  }
}
