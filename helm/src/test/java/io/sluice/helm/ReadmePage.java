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

      [ci](ci) contains values for common cases, each rendered by the build: Ingress, Gateway API, cluster, addresses of single pods, monitoring, autoscaling, tokens, client certificates, a hardened node. Further ones show durable topics, their removal, and jars of another broker's client.

      ## Values

      A key that does not exist is refused. Secrets are named, never written here.

      """;
  private static final String FOOT =
      """

      This page is generated. After a change of `values.yaml`, write it anew with `mvn -pl helm test -Dtest=ValuesTest -Dsluice.docs=write`.
      """;

  private ReadmePage() {}

  static String text() {
    return HEAD + ValuesTable.of(Values.all()) + FOOT;
  }
}
