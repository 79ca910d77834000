# The program with its embedded tables, and nothing else: no shell, no package,
# no user but the number it runs as.
#
#   docker build -t solved:VERSION .                      # 33 MB; answers from the embedded tables
#   docker build -t solved:VERSION-table --target table . # with the canonical ruleset's table file
#
# The labels of the image are set by --build-arg VERSION=… and --build-arg REVISION=….

FROM --platform=$BUILDPLATFORM golang:1.26-bookworm AS build
WORKDIR /src
# With .git, from which the go command stamps the version into the program.
COPY . .
ARG TARGETOS
ARG TARGETARCH
RUN --mount=type=cache,target=/go/pkg/mod --mount=type=cache,target=/root/.cache/go-build \
    CGO_ENABLED=0 GOOS=$TARGETOS GOARCH=$TARGETARCH \
    go build -trimpath -ldflags="-s -w" -o /out/solved ./server

# The full table, made from the embedded one on the machine that builds, and the
# same byte for byte as the published one.
FROM build AS expand
RUN --mount=type=cache,target=/go/pkg/mod --mount=type=cache,target=/root/.cache/go-build \
    mkdir /tables && \
    CGO_ENABLED=0 go run ./server expand tic-tac-chec -o /tables/tic-tac-chec.ttb && \
    echo "f80c1899e57941a2251ffa554645ad06e66d4e5fbd349b6d2b949efd2c526c53  /tables/tic-tac-chec.ttb" | sha256sum -c -

FROM scratch AS program
ARG VERSION=devel
ARG REVISION=unknown
LABEL org.opencontainers.image.title="solved" \
      org.opencontainers.image.description="Answers exact values of solved games over HTTP" \
      org.opencontainers.image.version="$VERSION" \
      org.opencontainers.image.revision="$REVISION"
# For asking others by https.
COPY --from=build --chmod=0444 /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
COPY --from=build --chmod=0555 /out/solved /solved
# The licences of the code that the program contains ask for this.
COPY --from=build --chmod=0444 /src/THIRD_PARTY.md /THIRD_PARTY.md
USER 65532:65532
# The default is this machine alone, which in a container is nobody.
ENV SOLVED_LISTEN=:8080
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=60s --start-interval=1s --retries=3 CMD ["/solved", "health"]
ENTRYPOINT ["/solved"]
CMD ["serve"]

# In the environment, so that arguments given to the container leave it in place.
FROM program AS table
COPY --from=expand --chmod=0444 /tables/tic-tac-chec.ttb /tables/tic-tac-chec.ttb
ENV SOLVED_TABLE=/tables/tic-tac-chec.ttb

# The last stage is the one that is built unless told otherwise.
FROM program AS plain
