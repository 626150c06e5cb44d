FROM node:24-slim AS build
WORKDIR /tallycast
COPY . .
# Installs and builds; then only what runs is kept.
RUN npm ci && npm prune --omit=dev --ignore-scripts

FROM node:24-slim
WORKDIR /tallycast
ENV NODE_ENV=production HOST=0.0.0.0 DATA_DIR=/data
COPY --from=build /tallycast/package.json ./
COPY --from=build /tallycast/node_modules ./node_modules
COPY --from=build /tallycast/dist ./dist
RUN mkdir /data && chown node:node /data
USER node
VOLUME /data
EXPOSE 8080 8081
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s CMD node -e "const p=process.env.ROLE==='voting'?process.env.VOTE_PORT??8081:process.env.PORT??8080;fetch('http://127.0.0.1:'+p+'/health').then(r=>process.exit(r.ok?0:1),()=>process.exit(1))"
CMD ["node", "dist/main.js"]
