package io.sluice.helm;

/** Generator of the chart's README from its values. */
final class ReadmePage {
  private static final String HEAD =
      """
      # Helm chart of Sluice

      Runs gateway nodes on Kubernetes 1.30 or later. Installation, updates, routing and monitoring: [docs/operations/kubernetes.md](../../docs/operations/kubernetes.md).

      ```sh
      helm install gw helm/sluice --namespace live --values values.yaml
      helm test gw --namespace live
      ```

      with at least

      ```yaml
      image:
        repository: registry.example.com/sluice
      broker:
        url: tcp://artemis:61616
        existingSecret: broker       # keys username and password
      config:                        # docs/CONFIGURATION.md
        auth:
          jwt:
            issuer: https://id.example.com/
            audience: [sluice]
      ```

      Values for an Ingress, the Gateway API, durable topics and their removal, jars of another broker's client, a cluster, pods with addresses of their own, monitoring, autoscaling, tokens, client certificates and a hardened node are in [ci](ci); the build renders each of them.

      ## Values

      A key that does not exist is refused. Secrets are named, never written here.

      | value | default | meaning |
      |---|---|---|
      """;
  private static final String FOOT =
      """

      This page is generated. After a change of `values.yaml`, write it anew with `mvn -pl helm test -Dtest=ValuesTest -Dsluice.docs=write`.
      """;

  private ReadmePage() {}

  static String text() {
    StringBuilder page = new StringBuilder(HEAD);
    for (Values.Value value : Values.all()) {
      page.append("| `%s` | `%s` | %s |\n".formatted(value.path(), value.preset(), cell(value)));
    }
    return page.append(FOOT).toString();
  }

  private static String cell(Values.Value value) {
    return value.comment().replace("|", "\\|");
  }
}
