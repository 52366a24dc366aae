import { type Html, html } from '../answer/html.ts'
import type { DescribedApi } from './described-api.ts'
import { slug } from './names.ts'
import { inline, prose } from './prose.ts'

/** A kind of credentials: which schemes of the description it explains, how to get them and what to paste. */
export interface Credentials {
  title: string
  schemes: readonly string[]
  /** In Markdown. */
  says: string
  /** Commands, for a server at this origin. */
  paste(origin: string): string
}

export const anchorOf = ({ title }: Credentials) => slug(title)

const isUsed = ({ components: { securitySchemes } }: DescribedApi, { schemes }: Credentials) =>
  schemes.some((name) => name in securitySchemes)

/** The kinds of credentials that the endpoints of a description take. */
export const usedCredentials = (api: DescribedApi, kinds: readonly Credentials[]) => kinds.filter((kind) => isUsed(api, kind))

/** What an operation takes, as links to where that is explained. */
export function credentialsOf(security: Record<string, string[]>[], kinds: readonly Credentials[]): Html {
  const names = security.flatMap((way) => Object.keys(way))
  const taken = kinds.filter(({ schemes }) => schemes.some((name) => names.includes(name)))
  if (taken.length === 0) return html`<p class="credentials">No credentials.</p>`
  const links = taken.map((kind, place) => html`${place > 0 && ', or '}<a href="/docs#${anchorOf(kind)}">${kind.title}</a>`)
  return html`<p class="credentials">Credentials: ${links}.</p>`
}

function scopes(api: DescribedApi): Html {
  const flow = Object.values(api.components.securitySchemes.oauth2User?.flows ?? {})[0]
  const rows = Object.entries(flow?.scopes ?? {}).map(
    ([scope, says]) => html`<div><dt><code>${scope}</code></dt><dd><p>${says}.</p></dd></div>`,
  )
  return html`<details><summary>The ${rows.length} scopes</summary><dl>${rows}</dl></details>`
}

/** How to authenticate with one kind of credentials. */
function credentials(api: DescribedApi, kind: Credentials): Html {
  const schemes = kind.schemes.flatMap((name) => api.components.securitySchemes[name]?.description ?? [])
  const isScoped = kind.schemes.includes('oauth2User')
  return html`<section id="${anchorOf(kind)}">
<h3>${kind.title}</h3>
${prose(kind.says)}
<pre><code>${kind.paste(api.servers[0]!.url)}</code></pre>
<ul class="soft">${[...new Set(schemes)].map((says) => html`<li>${inline(says)}</li>`)}</ul>
${isScoped && scopes(api)}
</section>`
}

export const authentication = (api: DescribedApi, kinds: readonly Credentials[]): Html =>
  html`<section id="authenticate">
<h2>Authenticate</h2>
<p>Each endpoint names the kinds of credentials that it takes. Any one of them will do.</p>
${usedCredentials(api, kinds).map((kind) => credentials(api, kind))}
</section>`
