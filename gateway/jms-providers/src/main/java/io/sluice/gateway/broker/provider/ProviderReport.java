package io.sluice.gateway.broker.provider;

import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Set;

/**
 * Result of {@code sluice provider-check}, as far as a node uses it. Immutable.
 *
 * @param provider value of {@code broker.provider} that was checked
 * @param connectionFactory value of {@code broker.connection-factory} that was checked
 * @param capabilities capabilities that work
 */
public record ProviderReport(
    String provider, String connectionFactory, Set<Capability> capabilities) {
  /** Key of the checked provider. */
  public static final String PROVIDER = "provider";

  /** Key of the checked ConnectionFactory. */
  public static final String CONNECTION_FACTORY = "connection-factory";

  /** Key of the list of capabilities. */
  public static final String CAPABILITIES = "capabilities";

  /**
   * Reads a report.
   *
   * @throws IOException if the file cannot be read, or is no report
   */
  static ProviderReport read(String file) throws IOException {
    try {
      JsonObject report = new JsonObject(Files.readString(Path.of(file)));
      JsonArray works = report.getJsonArray(CAPABILITIES);
      Set<Capability> capabilities = EnumSet.noneOf(Capability.class);
      for (int i = 0; i < works.size(); i++) {
        Capability.of(works.getString(i)).ifPresent(capabilities::add);
      }
      return new ProviderReport(
          report.getString(PROVIDER), report.getString(CONNECTION_FACTORY), capabilities);
    } catch (DecodeException | ClassCastException | NullPointerException e) {
      throw new IOException("it is not a report of sluice provider-check", e);
    } catch (NoSuchFileException e) {
      throw new IOException("there is no such file", e);
    } catch (InvalidPathException e) {
      throw new IOException("it is not a path", e);
    }
  }
}
