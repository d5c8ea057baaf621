# docker build -t postern .
# docker run --rm -p 127.0.0.1:4000:4000 -e SANDBOX_PUBLIC=1 postern   # with the sandbox, for this machine only
# docs/operating.md#containers describes the settings and the volume.
ARG NODE_IMAGE=node:24-slim

FROM ${NODE_IMAGE} AS build
WORKDIR /source
COPY package.json package-lock.json ./
RUN npm ci
COPY . .
RUN npm pack --pack-destination /tmp && mkdir /postern && tar -xzf /tmp/postern-*.tgz -C /postern --strip-components=1
WORKDIR /postern
RUN cp /source/package-lock.json . && npm ci --omit=dev && rm package-lock.json

FROM ${NODE_IMAGE}
COPY --from=build /postern /postern
RUN ln -s /postern/scripts/postern.js /usr/local/bin/postern && mkdir -m 700 /data && chown 1000:1000 /data
ENV NODE_ENV=production HOST=0.0.0.0 DATA_DIR=/data
WORKDIR /data
VOLUME /data
EXPOSE 4000
USER 1000:1000
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT ?? 4000}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["postern"]
CMD ["serve"]
