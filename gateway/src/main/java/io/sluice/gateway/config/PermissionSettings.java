package io.sluice.gateway.config;

import static io.sluice.gateway.config.Setting.rules;
import static io.sluice.gateway.config.Setting.text;

import java.util.List;

/** Configuration keys of permission rules. Constants only. */
public final class PermissionSettings {
  public static final Setting<List<PermissionRule>> RULES =
      rules(
          "permissions.rules",
          "Who may subscribe and publish to what, beyond subscribe.topics and publish.topics, which"
              + " hold for everybody; see SECURITY.md. Without rules and permissions.claim: whoever"
              + " gets in may use all that the node serves.");
  public static final Setting<String> CLAIM =
      text(
          "permissions.claim",
          "",
          "Claim of the credential that holds patterns of its own, {\"subscribe\": […],"
              + " \"publish\": […]}, which come on top of the rules'; empty: none is looked at.");

  /** Keys of this section, in the order of the documentation. */
  static final List<Setting<?>> ALL = List.of(RULES, CLAIM);

  private PermissionSettings() {}
}
