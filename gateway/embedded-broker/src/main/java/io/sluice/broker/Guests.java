package io.sluice.broker;

import java.util.Set;
import org.apache.activemq.artemis.core.security.CheckType;
import org.apache.activemq.artemis.core.security.Role;
import org.apache.activemq.artemis.spi.core.security.ActiveMQSecurityManager;

/**
 * Lets everybody in, with whatever rights the role of an address has, but for one user with a
 * password and a role of his own. Immutable.
 *
 * @param restricted that user, or null
 */
record Guests(Restricted restricted) implements ActiveMQSecurityManager {
  static final Role MAY_DO_ALL =
      new Role("all", true, true, true, true, true, true, true, true, true, true, true, true);
  static final Role MAY_ONLY_READ =
      new Role(
          "read", false, true, true, true, true, true, false, true, false, false, false, false);

  @Override
  public boolean validateUser(String user, String password) {
    return !isRestricted(user) || restricted.password().equals(password);
  }

  @Override
  public boolean validateUserAndRole(
      String user, String password, Set<Role> roles, CheckType asked) {
    boolean own = isRestricted(user);
    return validateUser(user, password)
        && roles.stream()
            .filter(role -> own == role.getName().equals(Restricted.ROLE))
            .anyMatch(asked::hasRole);
  }

  private boolean isRestricted(String user) {
    return restricted != null && restricted.user().equals(user);
  }
}
