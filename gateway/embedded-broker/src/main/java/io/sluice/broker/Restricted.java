package io.sluice.broker;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.activemq.artemis.core.security.CheckType;
import org.apache.activemq.artemis.core.security.Role;

/**
 * A user who may do what is granted and nothing else, as an operator sets it up; all others may do
 * everything. Immutable.
 *
 * @param user whose name it is
 * @param password without which nobody is it
 * @param grants rights by the pattern of their addresses
 */
record Restricted(String user, String password, Map<String, Set<CheckType>> grants) {
  /** The user's role; that of the others has another name. */
  static final String ROLE = "restricted";

  private static final Map<String, CheckType> RIGHTS =
      Map.ofEntries(
          Map.entry("send", CheckType.SEND),
          Map.entry("consume", CheckType.CONSUME),
          Map.entry("createAddress", CheckType.CREATE_ADDRESS),
          Map.entry("deleteAddress", CheckType.DELETE_ADDRESS),
          Map.entry("createNonDurableQueue", CheckType.CREATE_NON_DURABLE_QUEUE),
          Map.entry("deleteNonDurableQueue", CheckType.DELETE_NON_DURABLE_QUEUE),
          Map.entry("createDurableQueue", CheckType.CREATE_DURABLE_QUEUE),
          Map.entry("deleteDurableQueue", CheckType.DELETE_DURABLE_QUEUE));

  /** One more grant, written {@code PATTERN=RIGHT,RIGHT} with the names of Artemis' own file. */
  Restricted granted(String text) {
    int equals = text.indexOf('=');
    if (equals < 0) {
      throw new IllegalArgumentException("--grant takes PATTERN=RIGHT,RIGHT, not " + text);
    }
    Set<CheckType> rights =
        Arrays.stream(text.substring(equals + 1).split(","))
            .filter(word -> !word.isEmpty())
            .map(Restricted::right)
            .collect(Collectors.toUnmodifiableSet());
    Map<String, Set<CheckType>> all = new LinkedHashMap<>(grants);
    all.put(text.substring(0, equals), rights);
    return new Restricted(user, password, all);
  }

  private static CheckType right(String word) {
    CheckType right = RIGHTS.get(word);
    if (right == null) {
      throw new IllegalArgumentException("--grant knows " + RIGHTS.keySet() + ", not " + word);
    }
    return right;
  }

  /** The role that stands for rights. */
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
        false,
        rights.contains(CheckType.CREATE_ADDRESS),
        rights.contains(CheckType.DELETE_ADDRESS),
        false,
        false);
  }
}
