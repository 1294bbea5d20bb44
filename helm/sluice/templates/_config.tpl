{{/* Configuration keys that the chart sets in sluice.yaml. */}}
{{- define "sluice.ownConfig" -}}
{{- $v := .Values }}
node:
  name: ${POD_NAME}
server:
  port: {{ $v.server.port }}
  {{- if $v.tls.existingSecret }}
  tls:
    certificate: /etc/sluice/tls/tls.crt
    key: /etc/sluice/tls/tls.key
    {{- if $v.tls.clientCaSecret }}
    client-auth: {{ $v.tls.clientAuth }}
    client-ca: /etc/sluice/client-ca/{{ $v.tls.clientCaKey }}
    {{- with $v.tls.clientCrlKey }}
    client-crl: /etc/sluice/client-ca/{{ . }}
    {{- end }}
    {{- end }}
  {{- end }}
admin:
  host: {{ $v.admin.host | quote }}
  port: {{ $v.admin.port }}
  {{- if $v.admin.existingSecret }}
  token-file: /etc/sluice/admin/{{ $v.admin.tokenKey }}
  {{- else }}
  metrics-open: true
  {{- end }}
  {{- if $v.admin.tlsSecret }}
  tls:
    certificate: /etc/sluice/admin-tls/tls.crt
    key: /etc/sluice/admin-tls/tls.key
  {{- end }}
{{- if or $v.broker.url (not (include "sluice.otherSource" .)) }}
broker:
  url: {{ required "broker.url: is missing; the broker's URL, such as tcp://artemis:61616" $v.broker.url | quote }}
  {{- if $v.broker.existingSecret }}
  user-file: /etc/sluice/broker/{{ $v.broker.userKey }}
  password-file: /etc/sluice/broker/{{ $v.broker.passwordKey }}
  {{- end }}
  {{- if $v.durable.enabled }}
  client-id: ${POD_NAMESPACE}-${POD_NAME}
  durable: {{ toJson $v.durable.topics }}
journal:
  folder: /var/lib/sluice/journal
  {{- end }}
{{- end }}
{{- if $v.links.tlsSecret }}
links:
  {{- if $v.links.port }}
  host: ${POD_IP}
  port: {{ $v.links.port }}
  {{- end }}
  certificate: /etc/sluice/links/tls.crt
  key: /etc/sluice/links/tls.key
  trust: /etc/sluice/links/ca.crt
{{- end }}
timeouts:
  drain: {{ $v.drain.timeoutSeconds }}s
  close: {{ $v.drain.closeSeconds }}s
{{- if $v.cluster.enabled }}
cluster:
  name: {{ include "sluice.name" . }}
  dns: {{ include "sluice.name" . }}-nodes.{{ .Release.Namespace }}.svc.{{ $v.cluster.domain }}
  host: ${POD_IP}
  port: {{ $v.cluster.port }}
  {{- if $v.cluster.existingSecret }}
  secret-file: /etc/sluice/cluster/{{ $v.cluster.secretKey }}
  {{- else }}
  tls:
    certificate: /etc/sluice/cluster/tls.crt
    key: /etc/sluice/cluster/tls.key
    ca: /etc/sluice/cluster/ca.crt
  {{- end }}
  {{- with include "sluice.publicUrl" . }}
  public-url: {{ . | quote }}
  {{- end }}
  {{- with $v.cluster.adminUrl }}
  admin-url: {{ . | quote }}
  {{- end }}
{{- end }}
{{- end }}

{{/* URL of one node for clients, without the load balancer; empty if there is none. */}}
{{- define "sluice.publicUrl" -}}
{{- if .Values.cluster.publicUrl }}
{{- .Values.cluster.publicUrl }}
{{- else if .Values.cluster.perPod.enabled }}
{{- printf "wss://%s/ws" (include "sluice.podHost" (dict "root" . "pod" "${POD_NAME}")) }}
{{- end }}
{{- end }}

{{/* Fails if both maps contain the same key. */}}
{{- define "sluice.refuseTwice" -}}
{{- range $key, $value := .own }}
{{- $path := printf "%s%s" $.path $key }}
{{- if hasKey $.given $key }}
{{- $given := get $.given $key }}
{{- if and (kindIs "map" $value) (kindIs "map" $given) }}
{{- include "sluice.refuseTwice" (dict "path" (printf "%s." $path) "own" $value "given" $given) }}
{{- else }}
{{- fail (printf "config: %s is set by the chart; set the chart value for it" $path) }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}

{{/* Content of sluice.yaml. */}}
{{- define "sluice.config" -}}
{{- range $key, $value := .Values.config }}
{{- if contains "." $key }}
{{- fail (printf "config: %s has a dot; write it as nested maps" $key) }}
{{- end }}
{{- end }}
{{- $own := include "sluice.ownConfig" . | fromYaml }}
{{- include "sluice.refuseTwice" (dict "path" "" "own" $own "given" .Values.config) }}
{{- toYaml (mustMergeOverwrite (deepCopy .Values.config) $own) }}
{{- end }}
