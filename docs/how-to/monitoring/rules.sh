# Prints the alert rules for the scrape job "sluice", and those of an objective: 99.9 % within 1 s.
printf 'groups:\n  - name: sluice\n    rules:\n'
sed -e 's/@nodes@/job="sluice"/g' -e 's/@limit@/100000/g' -e 's/^/      /' \
  helm/sluice/files/alerts.yaml
printf '  - name: sluice-slo\n    rules:\n'
sed -e 's/@nodes@/job="sluice"/g' -e 's/@latency@/1|1.0/g' -e 's/@budget@/(1 - 99.9 \/ 100)/g' \
  -e 's/^/      /' helm/sluice/files/slo.yaml
