{{- define "sluice.name" -}}
{{- $name := .Release.Name }}
{{- if and .Values.nameOverride (not (contains .Values.nameOverride $name)) }}
{{- $name = printf "%s-%s" $name .Values.nameOverride }}
{{- end }}
{{- .Values.fullnameOverride | default $name | trunc 50 | trimSuffix "-" }}
{{- end }}

{{/* Returns true if nodes have topics of another source than a JMS broker. */}}
{{- define "sluice.otherSource" -}}
{{- with .Values.config }}{{ if or .nodes .kafka .nats }}true{{ end }}{{ end }}
{{- end }}

{{/* Returns true if inner nodes connect to each node. */}}
{{- define "sluice.outer" -}}
{{- if dig "nodes" "accept" false .Values.config }}true{{ end }}
{{- end }}

{{/* Returns true if pods have stable names. */}}
{{- define "sluice.stable" -}}
{{- if or .Values.durable.enabled .Values.cluster.perPod.enabled (include "sluice.outer" .) }}true{{ end }}
{{- end }}

{{- define "sluice.kind" -}}
{{- if include "sluice.stable" . }}StatefulSet{{ else }}Deployment{{ end }}
{{- end }}

{{/* Number of nodes; empty if only the autoscaler determines it. */}}
{{- define "sluice.replicas" -}}
{{- if not .Values.autoscaling.enabled -}}
replicas: {{ .Values.replicaCount }}
{{- else }}
{{- with lookup "apps/v1" (include "sluice.kind" .) .Release.Namespace (include "sluice.name" .) -}}
# The current number: without it, a release that had a number would be scaled to one.
replicas: {{ .spec.replicas }}
{{- end }}
{{- end }}
{{- end }}

{{/* List of the possible names of pods with stable names. */}}
{{- define "sluice.pods" -}}
{{- $pods := list }}
{{- range until (ternary .Values.autoscaling.maxReplicas .Values.replicaCount .Values.autoscaling.enabled | int) }}
{{- $pods = append $pods (printf "%s-%d" (include "sluice.name" $) .) }}
{{- end }}
{{- toYaml $pods }}
{{- end }}

{{/* List of the possible pod names, if each pod has its own address. */}}
{{- define "sluice.addressedPods" -}}
{{- if .Values.cluster.perPod.enabled }}{{ include "sluice.pods" . }}{{ else }}[]{{ end }}
{{- end }}

{{- define "sluice.podHost" -}}
{{- .root.Values.cluster.perPod.host | replace "{pod}" .pod }}
{{- end }}

{{- define "sluice.selector" -}}
app.kubernetes.io/name: {{ .Values.nameOverride | default "sluice" }}
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/component: node
{{- end }}

{{- define "sluice.labels" -}}
{{ include "sluice.selector" . }}
{{ include "sluice.commonLabels" . }}
{{- end }}

{{/* Labels of all objects, also of those that are no nodes. */}}
{{- define "sluice.commonLabels" -}}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- with .Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "sluice.image" -}}
{{- with .Values.image }}
{{- .repository }}{{ if .digest }}@{{ .digest }}{{ else }}:{{ .tag | default $.Chart.AppVersion }}{{ end }}
{{- end }}
{{- end }}

{{- define "sluice.serviceAccount" -}}
{{- if .Values.serviceAccount.create }}
{{- .Values.serviceAccount.name | default (include "sluice.name" .) }}
{{- else }}
{{- .Values.serviceAccount.name | default "default" }}
{{- end }}
{{- end }}

{{/* Seconds from a node's removal from the Service to the end of its last client. */}}
{{- define "sluice.drainSeconds" -}}
{{- with .Values.drain }}{{ add .preStopSeconds .timeoutSeconds .closeSeconds }}{{ end }}
{{- end }}

{{- define "sluice.graceSeconds" -}}
{{- add (include "sluice.drainSeconds" .) .Values.drain.marginSeconds }}
{{- end }}

{{- define "sluice.adminScheme" -}}
{{- if .Values.admin.tlsSecret }}HTTPS{{ else }}HTTP{{ end }}
{{- end }}

{{/* Field imagePullSecrets of a pod. */}}
{{- define "sluice.pullSecrets" -}}
{{- with .Values.imagePullSecrets }}
imagePullSecrets: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{/* Fails if values contradict each other. */}}
{{- define "sluice.validate" -}}
{{- $v := .Values }}
{{- if and $v.durable.enabled $v.autoscaling.enabled }}
{{- fail "autoscaling.enabled: is not allowed with durable.enabled; a removed node would leave its messages at the broker" }}
{{- end }}
{{- if and $v.durable.topics (not $v.durable.enabled) }}
{{- fail "durable.topics: needs durable.enabled: true" }}
{{- end }}
{{- if and (ne $v.tls.clientAuth "none") (not (and $v.tls.existingSecret $v.tls.clientCaSecret)) }}
{{- fail "tls.clientAuth: needs tls.existingSecret and tls.clientCaSecret" }}
{{- end }}
{{- if and $v.tls.clientCaSecret (eq $v.tls.clientAuth "none") }}
{{- fail "tls.clientCaSecret: has no effect while tls.clientAuth is none" }}
{{- end }}
{{- if and $v.cluster.enabled (eq (empty $v.cluster.existingSecret) (empty $v.cluster.tlsSecret)) }}
{{- fail "cluster.enabled: needs exactly one of cluster.existingSecret and cluster.tlsSecret" }}
{{- end }}
{{- with $v.cluster.perPod }}
{{- if and .enabled (not $v.cluster.enabled) }}
{{- fail "cluster.perPod.enabled: needs cluster.enabled: true" }}
{{- end }}
{{- if and .enabled (not .host) }}
{{- fail "cluster.perPod.host: is empty, but cluster.perPod.enabled is true" }}
{{- end }}
{{- if and .enabled (not (or $v.ingress.enabled $v.gatewayApi.enabled)) }}
{{- fail "cluster.perPod.enabled: needs ingress.enabled or gatewayApi.enabled, which route to the pods" }}
{{- end }}
{{- if and .tlsSecret (not (and .enabled $v.ingress.enabled)) }}
{{- fail "cluster.perPod.tlsSecret: needs cluster.perPod.enabled and ingress.enabled" }}
{{- end }}
{{- end }}
{{- if and $v.links.port (not $v.links.tlsSecret) }}
{{- fail "links.port: needs links.tlsSecret" }}
{{- end }}
{{- if and $v.networkPolicy.links (not $v.links.port) }}
{{- fail "networkPolicy.links: has no effect without links.port" }}
{{- end }}
{{- if and $v.ingress.enabled (not $v.ingress.hosts) }}
{{- fail "ingress.hosts: is empty, but ingress.enabled is true" }}
{{- end }}
{{- if and $v.gatewayApi.enabled (not $v.gatewayApi.parentRefs) }}
{{- fail "gatewayApi.parentRefs: is empty, but gatewayApi.enabled is true" }}
{{- end }}
{{- if and $v.gatewayApi.passthrough (not $v.tls.existingSecret) }}
{{- fail "gatewayApi.passthrough: needs tls.existingSecret" }}
{{- end }}
{{- if and $v.gatewayApi.enabled $v.gatewayApi.passthrough (not $v.gatewayApi.hostnames) }}
{{- fail "gatewayApi.hostnames: is empty, but gatewayApi.passthrough needs them" }}
{{- end }}
{{- if and $v.serviceMonitor.existingSecret (not $v.admin.existingSecret) }}
{{- fail "serviceMonitor.existingSecret: has no effect without admin.existingSecret; metrics are open" }}
{{- end }}
{{- range $v.mounts }}
{{- if ne (len (compact (list .secret .configMap .claim))) 1 }}
{{- fail (printf "mounts: %s needs exactly one of secret, configMap and claim" .name) }}
{{- end }}
{{- end }}
{{- end }}
