# The package `postern` on a bare Node, for development and tests:
#   docker build -t postern . && docker run --rm -p 127.0.0.1:4000-4002:4000-4002 postern
FROM node:26.10.0-slim AS build
WORKDIR /build
COPY . .
RUN npm ci --ignore-scripts && node scripts/build.ts
WORKDIR /build/dist/postern
RUN npm install --omit=dev --ignore-scripts --no-package-lock

FROM node:26.10.0-slim
COPY --from=build /build/dist/postern /opt/postern
RUN mkdir /data && chown node:node /data
USER node
WORKDIR /data
VOLUME /data
# In a container it listens for the host, which must publish the ports on loopback. Clients sign for these origins.
ENV MALLOC_ARENA_MAX=2 \
    POSTERN_HOST=0.0.0.0 \
    POSTERN_EXPOSE_DEVELOPMENT=1 \
    POSTERN_BASE_URL=http://127.0.0.1:4000,http://localhost:4000 \
    POSTERN_ADS_BASE_URL=http://127.0.0.1:4001,http://localhost:4001 \
    POSTERN_ADS_SANDBOX_BASE_URL=http://127.0.0.1:4002,http://localhost:4002
EXPOSE 4000 4001 4002
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:4000/readyz').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "--max-semi-space-size=8", "/opt/postern/postern/src/cli/main.js"]
