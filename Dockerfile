# The package `postern` on a bare Node. For development and tests:
#   docker build -t postern . && docker run --rm -p 127.0.0.1:4000-4002:4000-4002 postern
# For production, without settings of its own but the ports (docs/kubernetes.md):
#   docker build --target production -t registry.example.com/postern:0.3.0 .
FROM node:26.10.0-slim AS build
WORKDIR /build
COPY . .
RUN npm ci --ignore-scripts && node scripts/build.ts

# The versions of the lock file, which the tests ran with, without those that are in the package's own modules. `@opentelemetry/api` is
# there too, and stays for the packages that send to a collector.
FROM node:26.10.0-slim AS dependencies
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
COPY bench/package.json bench/
COPY console/package.json console/
COPY postern/package.json postern/
COPY receiver/package.json receiver/
COPY server/package.json server/
RUN npm ci --omit=dev --ignore-scripts --workspace=server --workspace=postern && cd node_modules && \
    rm -r @postern bintrees csv-parse kysely lru-cache prom-client tdigest

FROM node:26.10.0-slim AS base
COPY --from=dependencies /build/node_modules /opt/postern/node_modules
COPY --from=build /build/dist/postern /opt/postern
RUN mkdir /data && chown node:node /data
# `node`, by the number that Kubernetes needs to see that it is not root.
USER 1000:1000
WORKDIR /data
# In a container it listens for the host, or the pod's network.
ENV MALLOC_ARENA_MAX=2 \
    POSTERN_HOST=0.0.0.0
EXPOSE 4000 4001 4002
CMD ["node", "--max-semi-space-size=8", "/opt/postern/postern/src/cli/main.js"]

FROM base AS production
ENV POSTERN_PROFILE=production \
    POSTERN_OPERATOR_PORT=4003
EXPOSE 4003
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:4003/readyz').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]

# The host must publish the ports on loopback. Clients sign for these origins.
FROM base AS development
VOLUME /data
ENV POSTERN_EXPOSE_DEVELOPMENT=1 \
    POSTERN_BASE_URL=http://127.0.0.1:4000,http://localhost:4000 \
    POSTERN_ADS_BASE_URL=http://127.0.0.1:4001,http://localhost:4001 \
    POSTERN_ADS_SANDBOX_BASE_URL=http://127.0.0.1:4002,http://localhost:4002
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:4000/readyz').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
