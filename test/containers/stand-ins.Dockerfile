# Stand-ins for the images of others, from Debian's packages and npm's Node. Each has what the compose file and the Dockerfile expect of
# the official image: entry point, user, folders.
FROM tallycast-debian AS debian

FROM debian AS node
# Those of this machine, for its package registries.
ENV NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt
RUN useradd --uid 1000 --create-home node

FROM debian AS redis
WORKDIR /data
# The official image is built with protected mode off.
ENTRYPOINT ["sh", "-c", "exec \"$@\" --protected-mode no", "sh"]

FROM debian AS caddy
ENV XDG_DATA_HOME=/data XDG_CONFIG_HOME=/config

FROM debian AS prometheus
RUN mkdir /prometheus && chown nobody /prometheus
USER nobody
ENTRYPOINT ["prometheus"]

FROM debian AS alertmanager
RUN ln -s prometheus-alertmanager /usr/bin/alertmanager && mkdir /alertmanager && chown nobody /alertmanager
USER nobody
ENTRYPOINT ["alertmanager"]

FROM debian AS redis_exporter
USER nobody
ENTRYPOINT ["prometheus-redis-exporter"]

FROM debian AS node-exporter
USER nobody
ENTRYPOINT ["prometheus-node-exporter"]

FROM debian AS blackbox-exporter
RUN mkdir /etc/blackbox_exporter && echo 'modules: { http_2xx: { prober: http } }' >/etc/blackbox_exporter/config.yml
ENTRYPOINT ["prometheus-blackbox-exporter"]
