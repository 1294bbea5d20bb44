package io.sluice.gateway.config;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/** What must hold between the settings of Kerberos. Used once, by one thread. */
final class KerberosRules {
  private static final Pattern PRINCIPAL = Pattern.compile("[^\\s@\\\\]+@[^\\s@/\\\\]+");
  private static final Pattern REALM = Pattern.compile("[^\\s@/\\\\]+");

  private static final String WISH = "auth";

  private static final List<Setting<?>> TICKETS_ONLY =
      List.of(
          AuthSettings.KERBEROS_PRINCIPAL,
          AuthSettings.KERBEROS_REALMS,
          AuthSettings.KERBEROS_LOCAL_REALM,
          AuthSettings.KERBEROS_LOWER_CASE,
          AuthSettings.KERBEROS_CHALLENGE,
          AuthSettings.KERBEROS_SESSION);

  private final Findings findings;
  private final Config config;

  KerberosRules(Findings findings) {
    this.findings = findings;
    this.config = findings.config();
  }

  void check() {
    if (config.get(AuthSettings.KERBEROS_KEYTAB).isEmpty()) {
      TICKETS_ONLY.forEach(this::hasNoEffectWithoutKeytab);
      return;
    }
    checkPrincipals();
    checkRealms();
    checkWish();
    if (config.get(AuthSettings.ANONYMOUS)
        && config.get(AuthSettings.KERBEROS_CHALLENGE).equals("always")) {
      findings.report(
          "always lets nobody in without a credential, but auth.anonymous does",
          "auto, or auth.anonymous false",
          AuthSettings.KERBEROS_CHALLENGE,
          AuthSettings.ANONYMOUS);
    }
  }

  /** In a URL, a token in this parameter could not be told from the wish for a challenge. */
  private void checkWish() {
    if (config.get(AuthSettings.QUERY_PARAMETER).equals(WISH)
        && config.get(AuthSettings.KERBEROS_CHALLENGE).equals("auto")) {
      findings.report(
          "is the parameter by which clients ask for a ticket's challenge (auth=negotiate)",
          "another name, or auth.kerberos.challenge always or never",
          AuthSettings.QUERY_PARAMETER,
          AuthSettings.KERBEROS_CHALLENGE);
    }
  }

  private void hasNoEffectWithoutKeytab(Setting<?> setting) {
    if (findings.isGiven(setting)) {
      findings.report(
          "has no effect without a keytab",
          AuthSettings.KERBEROS_KEYTAB.key(),
          setting,
          AuthSettings.KERBEROS_KEYTAB);
    }
  }

  private void checkPrincipals() {
    List<String> names = config.get(AuthSettings.KERBEROS_PRINCIPAL);
    if (names.isEmpty()) {
      findings.report(
          "is empty, but auth.kerberos.keytab needs it",
          "the name of this service, such as HTTP/gw.example.com@EXAMPLE.COM, or *",
          AuthSettings.KERBEROS_PRINCIPAL,
          AuthSettings.KERBEROS_KEYTAB);
    }
    if (names.equals(List.of("*"))) {
      return;
    }
    for (String name : names) {
      if (!PRINCIPAL.matcher(name).matches()) {
        findings.report(
            ValueText.quote(name) + " is no name with a realm",
            "such as HTTP/gw.example.com@EXAMPLE.COM, or * alone",
            AuthSettings.KERBEROS_PRINCIPAL);
      }
    }
  }

  private void checkRealms() {
    Set<String> realms = realms();
    for (String realm : config.get(AuthSettings.KERBEROS_REALMS)) {
      if (!REALM.matcher(realm).matches()) {
        findings.report(
            ValueText.quote(realm) + " is no realm",
            "such as EXAMPLE.COM",
            AuthSettings.KERBEROS_REALMS);
      }
    }
    if (realms.contains("*")) {
      findings.report(
          "is empty, but with auth.kerberos.principal * nothing else says whose clients come in",
          "such as [EXAMPLE.COM]",
          AuthSettings.KERBEROS_REALMS,
          AuthSettings.KERBEROS_PRINCIPAL);
      return;
    }
    String local = config.get(AuthSettings.KERBEROS_LOCAL_REALM);
    if (!local.isEmpty() && !realms.isEmpty() && !realms.contains(local)) {
      findings.report(
          ValueText.quote(local) + " is none of the realms whose clients are taken",
          "one of " + String.join(", ", realms),
          AuthSettings.KERBEROS_LOCAL_REALM,
          AuthSettings.KERBEROS_REALMS,
          AuthSettings.KERBEROS_PRINCIPAL);
    }
  }

  /** Those whose clients are taken, in the order in which they are named. */
  private Set<String> realms() {
    List<String> named = config.get(AuthSettings.KERBEROS_REALMS);
    Set<String> realms = new LinkedHashSet<>(named);
    if (named.isEmpty()) {
      config
          .get(AuthSettings.KERBEROS_PRINCIPAL)
          .forEach(name -> realms.add(name.substring(name.lastIndexOf('@') + 1)));
    }
    return realms;
  }
}
