package io.sluice.broker;

import java.util.Set;
import org.apache.activemq.artemis.core.security.CheckType;
import org.apache.activemq.artemis.core.security.Role;
import org.apache.activemq.artemis.spi.core.security.ActiveMQSecurityManager;

/**
 * Security manager that accepts all users with the permissions of an address' role. An optional
 * restricted user has a password and a separate role. Immutable, for any thread.
 *
 * @param restricted the restricted user, or null
 */
record OpenSecurity(RestrictedUser restricted) implements ActiveMQSecurityManager {
  static final Role ALL_PERMISSIONS =
      new Role("all", true, true, true, true, true, true, true, true, true, true, true, true);
  static final Role READ_ONLY =
      new Role(
          "read", false, true, true, true, true, true, false, true, false, false, false, false);

  @Override
  public boolean validateUser(String user, String password) {
    return !isRestricted(user) || restricted.password().equals(password);
  }

  @Override
  public boolean validateUserAndRole(
      String user, String password, Set<Role> roles, CheckType permission) {
    boolean own = isRestricted(user);
    return validateUser(user, password)
        && roles.stream()
            .filter(role -> own == role.getName().equals(RestrictedUser.ROLE))
            .anyMatch(permission::hasRole);
  }

  private boolean isRestricted(String user) {
    return restricted != null && restricted.user().equals(user);
  }
}
