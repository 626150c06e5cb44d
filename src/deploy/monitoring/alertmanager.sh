#!/bin/sh
# Starts Alertmanager with the receivers in the environment: ALERT_WEBHOOK_URL, ALERT_EMAIL_TO, or both. With neither, alerts appear only
# in its own page and on the dashboard.
set -eu
umask 077
config=${TMPDIR:-/tmp}/alertmanager.yml

{
  cat <<'END'
route:
  receiver: operator
  group_by: [alertname, instance]
  # Time for the cause of a symptom to be found first.
  group_wait: 10s
  group_interval: 30s
  repeat_interval: 4h
# One cause is one notification. alerts.yml explains the labels.
inhibit_rules:
  - source_matchers: [severity="critical", kind=~"cause|check"]
    target_matchers: [kind="symptom"]
  - source_matchers: [part="redis"]
    target_matchers: [kind="check"]
receivers:
  - name: operator
END
  if [ -n "${ALERT_WEBHOOK_URL:-}" ]; then
    echo "    webhook_configs: [{ url: '$ALERT_WEBHOOK_URL' }]"
  fi
  if [ -n "${ALERT_EMAIL_TO:-}" ]; then
    echo "    email_configs:"
    echo "      - to: '$ALERT_EMAIL_TO'"
    echo "        from: '${ALERT_SMTP_FROM:-$ALERT_EMAIL_TO}'"
    # With a port, as in smtp.example:587.
    echo "        smarthost: '${ALERT_SMTP_HOST:?is missing for ALERT_EMAIL_TO}'"
    echo "        send_resolved: true"
    if [ -n "${ALERT_SMTP_USER:-}" ]; then
      echo "        auth_username: '$ALERT_SMTP_USER'"
      # A quote in a text between quotes is written twice.
      echo "        auth_password: '$(printf %s "${ALERT_SMTP_PASSWORD:-}" | sed "s/'/''/g")'"
    fi
  fi
} >"$config"

exec alertmanager --config.file="$config" --cluster.listen-address= "$@"
