# Karba in a container: the sources as they are, run by the base's own Node 24, as a user without rights, on a read-only root.
#   docker build -t karba . && docker run --read-only --tmpfs /tmp -v karba:/data -p 127.0.0.1:8080:8080 karba
ARG BASE=node:24.21.0-bookworm-slim

FROM ${BASE} AS packages
WORKDIR /karba
COPY package.json package-lock.json .npmrc ./
COPY server/package.json server/
COPY dashboard/package.json dashboard/
COPY tools/package.json tools/
COPY sdk/package.json sdk/
COPY simulators/package.json simulators/
COPY merchant-cli/package.json merchant-cli/
COPY examples/shop-node/package.json examples/shop-node/
# Without development packages, without the Node that npm scripts bring along, and without running any install script.
RUN npm ci --omit=dev --omit=optional --ignore-scripts --workspace=server

# The dashboard and the API reference are built here, with packages that the server never loads.
FROM ${BASE} AS page
WORKDIR /karba
COPY package.json package-lock.json .npmrc ./
COPY server/package.json server/
COPY dashboard/package.json dashboard/
COPY tools/package.json tools/
COPY sdk/package.json sdk/
COPY simulators/package.json simulators/
COPY merchant-cli/package.json merchant-cli/
COPY examples/shop-node/package.json examples/shop-node/
RUN npm ci --ignore-scripts --workspace=dashboard
COPY scripts/build-dashboard.mjs scripts/
COPY dashboard/index.html dashboard/vite.config.ts dashboard/
COPY dashboard/public dashboard/public
COPY dashboard/src dashboard/src
COPY server/src server/src
RUN node scripts/build-dashboard.mjs --strict

FROM ${BASE}
WORKDIR /karba
COPY --from=packages /karba/node_modules node_modules
COPY package.json LICENSE ./
COPY server/package.json server/
COPY server/migrations server/migrations
COPY server/src server/src
# The documents that the service serves (server/src/site/served-documents.ts).
COPY docs/*.md docs/
COPY docs/guides docs/guides
COPY sdk/README.md sdk/
COPY clients/php/README.md clients/php/README.fr.md clients/php/
COPY clients/python/README.md clients/python/
COPY merchant-cli/README.md merchant-cli/
COPY examples/README.md examples/
COPY examples/django/README.md examples/django/
COPY examples/fastapi/README.md examples/fastapi/
COPY --from=page /karba/dashboard/dist dashboard/dist
COPY --from=page /karba/server/dist server/dist
# The only folder that is written to: the master key, and SQLite's files.
RUN install --directory --owner=node --group=node --mode=700 /data
VOLUME /data
ENV HOST=0.0.0.0 PORT=8080 KARBA_DATA_DIR=/data
# Memory that was freed goes back to the system: glibc kept 130 MB after files of staff and merchants were read.
ENV MALLOC_ARENA_MAX=2 MALLOC_MMAP_THRESHOLD_=131072
EXPOSE 8080
USER node
HEALTHCHECK --interval=10s --timeout=5s --start-period=20s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# One V8 helper thread for each core after the first, as in `npm start`: Node's four on two busy cores cost 7 to 12 % of a create.
# V8's memory for new objects has a limit: without one, a busy server kept 130 to 260 MB more and was no faster.
CMD ["node", "--v8-pool-size=0", "--max-semi-space-size=16", "server/src/main.js"]
