package io.sluice.gateway.cli.command;

import picocli.CommandLine.IVersionProvider;

/** Version text with the version from the jar's manifest. Stateless, for any thread. */
public final class Version implements IVersionProvider {
  @Override
  public String[] getVersion() {
    String built = Version.class.getPackage().getImplementationVersion();
    String java = System.getProperty("java.version");
    return new String[] {"sluice " + (built == null ? "(not packaged)" : built) + ", Java " + java};
  }
}
