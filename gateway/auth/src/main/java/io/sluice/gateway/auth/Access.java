package io.sluice.gateway.auth;

import io.sluice.gateway.audit.AuditLog;
import io.sluice.gateway.config.AuthSettings;
import io.sluice.gateway.config.ConfigFindings;
import io.sluice.gateway.revocation.Revocations;
import java.util.ArrayList;
import java.util.List;

/**
 * Access control of a node: authentication, permissions, revocations and the audit log. For any
 * thread.
 *
 * @param authentication checks credentials
 * @param permissions grants topics to principals
 * @param revocations revoked credentials
 * @param audit log of what clients and operators did
 */
public record Access(
    Authentication authentication, Permissions permissions, Revocations revocations, AuditLog audit)
    implements AutoCloseable {

  /**
   * Opens the configured files and starts the threads.
   *
   * @param audit closed with the access control, and if that cannot be opened
   */
  public static Access open(AuthOptions options, AuditLog audit) throws UnusableAuth {
    try {
      Revocations revocations = Revocations.of(options.revocations());
      Permissions permissions = Permissions.of(options.permissions());
      return new Access(Authentication.open(options, revocations), permissions, revocations, audit);
    } catch (UnusableAuth | RuntimeException e) {
      audit.close();
      throw e;
    }
  }

  /** Returns the access control that {@link #reload} would lead to. */
  public Access preview(AuthOptions options) {
    return new Access(authentication, Permissions.of(options.permissions()), revocations, audit);
  }

  /** Replaces the permissions by those of a validated configuration. */
  public void reload(AuthOptions options) {
    permissions.replace(options.permissions());
  }

  /** Reports files that {@link #open} could not use. Opens no connection and writes no file. */
  public static void check(ConfigFindings findings) {
    AuthRules.check(findings);
    if (!AuthSettings.admitsClients(findings.config())) {
      findings.report(Authentication.NO_MECHANISM, "", AuthSettings.ANONYMOUS);
    }
    for (UnusableAuth each : problems(AuthOptions.of(findings.config()))) {
      findings.report(each.what(), "", each.setting());
    }
  }

  private static List<UnusableAuth> problems(AuthOptions options) {
    List<UnusableAuth> problems = new ArrayList<>(KeyFiles.problems(options.jwt().files()));
    String trust = options.issuer().trust();
    if (!trust.isEmpty()) {
      check(problems, () -> IssuerClient.trust(trust));
    }
    if (!options.kerberos().keytab().isEmpty()) {
      check(problems, () -> ServiceKeys.open(options.kerberos()));
    }
    return problems;
  }

  @FunctionalInterface
  private interface Check {
    void run() throws UnusableAuth;
  }

  private static void check(List<UnusableAuth> problems, Check check) {
    try {
      check.run();
    } catch (UnusableAuth e) {
      problems.add(e);
    }
  }

  @Override
  public void close() {
    authentication.close();
    audit.close();
  }
}
