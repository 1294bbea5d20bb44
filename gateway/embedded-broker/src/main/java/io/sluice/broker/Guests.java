package io.sluice.broker;

import java.util.Set;
import org.apache.activemq.artemis.core.security.CheckType;
import org.apache.activemq.artemis.core.security.Role;
import org.apache.activemq.artemis.spi.core.security.ActiveMQSecurityManager;

/** Lets everybody in, with whatever rights the role of an address has. Immutable. */
final class Guests implements ActiveMQSecurityManager {
  static final Role MAY_DO_ALL =
      new Role("all", true, true, true, true, true, true, true, true, true, true, true, true);
  static final Role MAY_ONLY_READ =
      new Role(
          "read", false, true, true, true, true, true, false, true, false, false, false, false);

  @Override
  public boolean validateUser(String user, String password) {
    return true;
  }

  @Override
  public boolean validateUserAndRole(
      String user, String password, Set<Role> roles, CheckType asked) {
    return roles.stream().anyMatch(asked::hasRole);
  }
}
