# Prints the alert rules for the scrape job "sluice".
printf 'groups:\n  - name: sluice\n    rules:\n'
sed -e 's/@nodes@/job="sluice"/g' -e 's/@limit@/100000/g' -e 's/^/      /' \
  helm/sluice/files/alerts.yaml
