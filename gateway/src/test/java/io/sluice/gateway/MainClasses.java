package io.sluice.gateway;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.core.importer.Location;

/** The main classes of all modules, without tests and fixtures. Stateless. */
public final class MainClasses implements ImportOption {
  @Override
  public boolean includes(Location location) {
    return !location.contains("/test-classes/") && !location.contains("-tests.jar");
  }
}
