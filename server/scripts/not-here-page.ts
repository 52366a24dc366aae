import { notHere } from '../src/development/hosts/not-here.ts'

const row = ({ what, paths, instead }: (typeof notHere)[number]) =>
  `| ${what} | ${paths.map((path) => `\`${path}\``).join(', ')} | ${instead} |`

/** What the API of X has and Postern does not. */
export const notHerePage = (): string =>
  `# For users of the X API

Postern stands in for the X API (formerly the Twitter API): with \`POSTERN_DIALECT=x\` it has its names, and [clients.md](clients.md) leads clients to it as they are. [Endpoints](endpoints.md) lists what it serves. This page lists what it does not serve, and what to use instead. In development the answer to one of these paths says so too.

Generated from \`server/src/development/hosts/not-here.ts\`.

| what | paths | instead |
|---|---|---|
${notHere.map(row).join('\n')}
`
