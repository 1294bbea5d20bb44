package io.sluice.broker;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.activemq.artemis.core.security.CheckType;
import org.apache.activemq.artemis.core.security.Role;

/**
 * User with granted permissions only; all other users may do everything. Immutable, for any thread.
 *
 * @param user the user's name
 * @param password the user's password
 * @param grants permissions by the pattern of addresses
 */
record RestrictedUser(String user, String password, Map<String, Set<CheckType>> grants) {
  /** Role of the restricted user. */
  static final String ROLE = "restricted";

  private static final Map<String, CheckType> RIGHTS =
      Map.ofEntries(
          Map.entry("send", CheckType.SEND),
          Map.entry("consume", CheckType.CONSUME),
          Map.entry("browse", CheckType.BROWSE),
          Map.entry("createAddress", CheckType.CREATE_ADDRESS),
          Map.entry("deleteAddress", CheckType.DELETE_ADDRESS),
          Map.entry("createNonDurableQueue", CheckType.CREATE_NON_DURABLE_QUEUE),
          Map.entry("deleteNonDurableQueue", CheckType.DELETE_NON_DURABLE_QUEUE),
          Map.entry("createDurableQueue", CheckType.CREATE_DURABLE_QUEUE),
          Map.entry("deleteDurableQueue", CheckType.DELETE_DURABLE_QUEUE));

  /** Returns a copy with another grant, {@code PATTERN=RIGHT,RIGHT} in Artemis' names. */
  RestrictedUser granted(String text) {
    int equals = text.indexOf('=');
    if (equals < 0) {
      throw new IllegalArgumentException("--grant is " + text + "; expected PATTERN=RIGHT,RIGHT");
    }
    Set<CheckType> rights =
        Arrays.stream(text.substring(equals + 1).split(","))
            .filter(word -> !word.isEmpty())
            .map(RestrictedUser::right)
            .collect(Collectors.toUnmodifiableSet());
    Map<String, Set<CheckType>> all = new LinkedHashMap<>(grants);
    all.put(text.substring(0, equals), rights);
    return new RestrictedUser(user, password, all);
  }

  private static CheckType right(String word) {
    CheckType right = RIGHTS.get(word);
    if (right == null) {
      throw new IllegalArgumentException(
          "--grant has the right " + word + "; expected one of " + RIGHTS.keySet());
    }
    return right;
  }

  /** Returns the role with the given permissions. */
  static Role role(Set<CheckType> rights) {
    return new Role(
        ROLE,
        rights.contains(CheckType.SEND),
        rights.contains(CheckType.CONSUME),
        rights.contains(CheckType.CREATE_DURABLE_QUEUE),
        rights.contains(CheckType.DELETE_DURABLE_QUEUE),
        rights.contains(CheckType.CREATE_NON_DURABLE_QUEUE),
        rights.contains(CheckType.DELETE_NON_DURABLE_QUEUE),
        false,
        rights.contains(CheckType.BROWSE),
        rights.contains(CheckType.CREATE_ADDRESS),
        rights.contains(CheckType.DELETE_ADDRESS),
        false,
        false);
  }
}
