{{/* Pod template of a node, for Deployment and StatefulSet. */}}
{{- define "sluice.pod" -}}
{{- $v := .Values }}
metadata:
  annotations:
    # Replaces the pods when the configuration changes.
    checksum/config: {{ include "sluice.config" . | sha256sum }}
    {{- with $v.podAnnotations }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  labels:
    {{- include "sluice.labels" . | nindent 4 }}
    {{- with $v.podLabels }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
spec:
  serviceAccountName: {{ include "sluice.serviceAccount" . }}
  automountServiceAccountToken: false
  enableServiceLinks: false
  terminationGracePeriodSeconds: {{ include "sluice.graceSeconds" . }}
  securityContext: {{- toYaml $v.podSecurityContext | nindent 4 }}
  {{- include "sluice.pullSecrets" . | nindent 2 }}
  {{- with $v.dnsPolicy }}
  dnsPolicy: {{ . }}
  {{- end }}
  {{- with $v.dnsConfig }}
  dnsConfig: {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $v.hostAliases }}
  hostAliases: {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $v.priorityClassName }}
  priorityClassName: {{ . }}
  {{- end }}
  {{- with $v.nodeSelector }}
  nodeSelector: {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $v.tolerations }}
  tolerations: {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $v.affinity }}
  affinity: {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $v.topologySpread }}
  topologySpreadConstraints:
    {{- range . }}
    - {{- toYaml . | nindent 6 }}
      labelSelector:
        matchLabels: {{- include "sluice.selector" $ | nindent 10 }}
      {{- if not (include "sluice.stable" $) }}
      # Excludes old pods of a rolling update.
      matchLabelKeys: [pod-template-hash]
      {{- end }}
    {{- end }}
  {{- end }}
  {{- with $v.initContainers }}
  initContainers: {{- toYaml . | nindent 4 }}
  {{- end }}
  containers:
    - name: sluice
      image: {{ include "sluice.image" . }}
      imagePullPolicy: {{ $v.image.pullPolicy }}
      command: [/opt/sluice/bin/sluice]
      args: [run, --config, /etc/sluice/sluice.yaml]
      securityContext: {{- toYaml $v.securityContext | nindent 8 }}
      env: {{- include "sluice.environment" . | nindent 8 }}
      ports:
        - name: clients
          containerPort: {{ $v.server.port }}
        - name: admin
          containerPort: {{ $v.admin.port }}
        {{- if $v.cluster.enabled }}
        - name: cluster
          containerPort: {{ $v.cluster.port }}
        {{- end }}
        {{- if $v.links.port }}
        - name: links
          containerPort: {{ $v.links.port }}
        {{- end }}
      startupProbe:
        httpGet: {{- include "sluice.health" (dict "root" . "path" "live") | nindent 10 }}
        {{- toYaml $v.startupProbe | nindent 8 }}
      livenessProbe:
        httpGet: {{- include "sluice.health" (dict "root" . "path" "live") | nindent 10 }}
        {{- toYaml $v.livenessProbe | nindent 8 }}
      readinessProbe:
        httpGet: {{- include "sluice.health" (dict "root" . "path" "ready") | nindent 10 }}
        {{- toYaml $v.readinessProbe | nindent 8 }}
      lifecycle:
        # Before SIGTERM, which drains the node, load balancers stop sending clients.
        preStop:
          sleep:
            seconds: {{ $v.drain.preStopSeconds }}
      resources: {{- toYaml $v.resources | nindent 8 }}
      volumeMounts: {{- include "sluice.volumeMounts" . | nindent 8 }}
    {{- with $v.extraContainers }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  volumes: {{- include "sluice.volumes" . | nindent 4 }}
{{- end }}

{{- define "sluice.health" -}}
path: /health/{{ .path }}
port: admin
scheme: {{ include "sluice.adminScheme" .root }}
{{- end }}

{{- define "sluice.environment" -}}
- name: POD_NAME
  valueFrom:
    fieldRef:
      fieldPath: metadata.name
- name: POD_NAMESPACE
  valueFrom:
    fieldRef:
      fieldPath: metadata.namespace
- name: POD_IP
  valueFrom:
    fieldRef:
      fieldPath: status.podIP
- name: SLUICE_JAVA_OPTS
  value: {{ .Values.javaOptions | quote }}
{{- range $name, $source := .Values.secretEnvironment }}
- name: {{ $name }}
  valueFrom:
    secretKeyRef:
      name: {{ $source.secret }}
      key: {{ $source.key }}
{{- end }}
{{- with .Values.extraEnv }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{/* Secrets by their mount folder below /etc/sluice. */}}
{{- define "sluice.secrets" -}}
{{- with .Values }}
tls: {{ .tls.existingSecret | quote }}
client-ca: {{ .tls.clientCaSecret | quote }}
admin: {{ .admin.existingSecret | quote }}
admin-tls: {{ .admin.tlsSecret | quote }}
broker: {{ .broker.existingSecret | quote }}
links: {{ .links.tlsSecret | quote }}
cluster: {{ if .cluster.enabled }}{{ .cluster.existingSecret | default .cluster.tlsSecret | quote }}{{ else }}""{{ end }}
{{- end }}
{{- end }}

{{- define "sluice.volumeMounts" -}}
- name: config
  mountPath: /etc/sluice
  readOnly: true
- name: tmp
  mountPath: /tmp
{{- if .Values.durable.enabled }}
- name: journal
  mountPath: /var/lib/sluice
{{- end }}
{{- range .Values.mounts }}
- name: mount-{{ .name }}
  mountPath: {{ .path }}
  readOnly: true
{{- end }}
{{- with .Values.extraVolumeMounts }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{/* One projected volume for /etc/sluice: mounts within a read-only mount are impossible. */}}
{{- define "sluice.volumes" -}}
- name: config
  projected:
    defaultMode: 0440
    sources:
      - configMap:
          name: {{ include "sluice.name" . }}
          items:
            - key: sluice.yaml
              path: sluice.yaml
      {{- range $folder, $secret := include "sluice.secrets" . | fromYaml }}
      {{- if $secret }}
      - secret:
          name: {{ $secret }}
          items: {{- include "sluice.items" (dict "root" $ "folder" $folder) | nindent 12 }}
      {{- end }}
      {{- end }}
- name: tmp
  emptyDir:
    sizeLimit: {{ .Values.tmpSize }}
{{- range .Values.mounts }}
- name: mount-{{ .name }}
  {{- if .secret }}
  secret:
    secretName: {{ .secret }}
    defaultMode: 0440
  {{- else if .configMap }}
  configMap:
    name: {{ .configMap }}
  {{- else }}
  persistentVolumeClaim:
    claimName: {{ .claim }}
    readOnly: true
  {{- end }}
{{- end }}
{{- with .Values.extraVolumes }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{/* Keys of a secret with their paths. */}}
{{- define "sluice.items" -}}
{{- $v := .root.Values }}
{{- $keys := list "tls.crt" "tls.key" }}
{{- if eq .folder "client-ca" }}
{{- $keys = compact (list $v.tls.clientCaKey $v.tls.clientCrlKey) }}
{{- else if eq .folder "admin" }}
{{- $keys = list $v.admin.tokenKey }}
{{- else if eq .folder "broker" }}
{{- $keys = list $v.broker.userKey $v.broker.passwordKey }}
{{- else if eq .folder "links" }}
{{- $keys = list "tls.crt" "tls.key" "ca.crt" }}
{{- else if eq .folder "cluster" }}
{{- $keys = ternary (list $v.cluster.secretKey) (list "tls.crt" "tls.key" "ca.crt") (not (empty $v.cluster.existingSecret)) }}
{{- end }}
{{- range $keys }}
- key: {{ . }}
  path: {{ $.folder }}/{{ . }}
{{- end }}
{{- end }}
